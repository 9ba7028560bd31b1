//! What both sides add to one type.

use super::held;

#[test]
fn a_member_that_both_sides_add_to_one_type_is_held() {
    for (name, base, one, two) in [
        (
            "C.java",
            "class C {\n    int a;\n~}\n",
            "    private String n;\n    int z;\n",
            "    int y;\n    final Name n;\n",
        ),
        (
            "E.java",
            "enum E {\n    A,\n~}\n",
            "    B(1),\n    C,\n",
            "    D,\n    B(2),\n",
        ),
        (
            "a.go",
            "type T struct {\n\tA int\n~}\n",
            "\tName string\n\tB int\n",
            "\tC int\n\tName []byte\n",
        ),
        (
            "a.go",
            "const (\n\tA = iota\n~)\n",
            "\tB\n",
            "\tC\n\tB // b\n",
        ),
        (
            "a.ts",
            "interface I {\n  a: string;\n~}\n",
            "  n: string;\n  b: 1;\n",
            "  c: 2;\n  n?: number;\n",
        ),
        (
            "a.ts",
            "enum E {\n  A,\n~}\n",
            "  B,\n",
            "  C,\n  B = 'b',\n",
        ),
        (
            "a.js",
            "const o = {\n  a: 1,\n~};\n",
            "  b: 2,\n  c: 1,\n",
            "  b: () => 3,\n",
        ),
        (
            "a.rs",
            "struct S {\n    a: u8,\n~}\n",
            "    /// N.\n    pub n: String,\n",
            "    pub(crate) n: u8,\n    z: u8,\n",
        ),
        (
            "a.rs",
            "enum E {\n    A,\n~}\n",
            "    B,\n    C,\n",
            "    D,\n    B(u8),\n",
        ),
        (
            "a.py",
            "class A:\n    a: int\n~",
            "    b: int\n    c: int\n",
            "    d: int\n    b: str = ''\n",
        ),
        (
            "a.h",
            "struct s {\n    int a;\n~};\n",
            "    int b;\n    int d;\n",
            "    int c;\n    char *b;\n",
        ),
        (
            "s.graphql",
            "type Q {\n  a: Int\n~}\n",
            "  b: Int\n  c: Int\n",
            "  d: Int\n  b(x: Int): String\n",
        ),
        (
            "a.proto",
            "message M {\n  string a = 1;\n~}\n",
            "  string b = 2;\n",
            "  int32 b = 3;\n",
        ),
        (
            "a.proto",
            "message M {\n  string a = 1;\n~}\n",
            "  string b = 2;\n  string d = 3;\n",
            "  map<string, int32> c = 3;\n",
        ),
        (
            "a.proto",
            "message M {\n  string a = 1;\n~}\n",
            "  oneof x {\n    string b = 2;\n  }\n",
            "  int32 c = 2;\n",
        ),
        (
            "a.proto",
            "service S {\n  rpc A(X) returns (Y);\n~}\n",
            "  rpc B(X) returns (Y);\n",
            "  rpc B(Z) returns (stream W);\n",
        ),
    ] {
        held(name, base, one, two);
    }
}
