//! Configurations of tools that are code, and the scripts that build a package: who runs them, and under which names.
//!
//! Data only.

use super::others::Runner;

pub(super) const RUNNERS: &[Runner] = &[
    Runner {
        names: &["vite", "vitest"],
        word: "",
        files: &[
            "vite.config.js",
            "vite.config.mjs",
            "vite.config.cjs",
            "vite.config.ts",
            "vite.config.mts",
        ],
    },
    Runner {
        names: &["vitest"],
        word: "",
        files: &[
            "vitest.config.js",
            "vitest.config.mjs",
            "vitest.config.cjs",
            "vitest.config.ts",
            "vitest.config.mts",
        ],
    },
    Runner {
        names: &["webpack", "webpack-cli", "webpack-dev-server"],
        word: "",
        files: &[
            "webpack.config.js",
            "webpack.config.mjs",
            "webpack.config.cjs",
            "webpack.config.ts",
            "webpack.config.mts",
        ],
    },
    Runner {
        names: &["rollup"],
        word: "",
        files: &[
            "rollup.config.js",
            "rollup.config.mjs",
            "rollup.config.cjs",
            "rollup.config.ts",
            "rollup.config.mts",
        ],
    },
    Runner {
        names: &["eslint"],
        word: "",
        files: &[
            "eslint.config.js",
            "eslint.config.mjs",
            "eslint.config.cjs",
            "eslint.config.ts",
            "eslint.config.mts",
        ],
    },
    Runner {
        names: &["eslint"],
        word: "",
        files: &[
            ".eslintrc.js",
            ".eslintrc.mjs",
            ".eslintrc.cjs",
            ".eslintrc.ts",
            ".eslintrc.mts",
        ],
    },
    Runner {
        names: &["jest"],
        word: "",
        files: &[
            "jest.config.js",
            "jest.config.mjs",
            "jest.config.cjs",
            "jest.config.ts",
            "jest.config.mts",
        ],
    },
    Runner {
        names: &["babel", "jest", "webpack"],
        word: "",
        files: &[
            "babel.config.js",
            "babel.config.mjs",
            "babel.config.cjs",
            "babel.config.ts",
            "babel.config.mts",
        ],
    },
    Runner {
        names: &["prettier"],
        word: "",
        files: &[
            "prettier.config.js",
            "prettier.config.mjs",
            "prettier.config.cjs",
            "prettier.config.ts",
            "prettier.config.mts",
        ],
    },
    Runner {
        names: &["next"],
        word: "",
        files: &[
            "next.config.js",
            "next.config.mjs",
            "next.config.cjs",
            "next.config.ts",
            "next.config.mts",
        ],
    },
    Runner {
        names: &["nuxt", "nuxi"],
        word: "",
        files: &[
            "nuxt.config.js",
            "nuxt.config.mjs",
            "nuxt.config.cjs",
            "nuxt.config.ts",
            "nuxt.config.mts",
        ],
    },
    Runner {
        names: &["astro"],
        word: "",
        files: &[
            "astro.config.js",
            "astro.config.mjs",
            "astro.config.cjs",
            "astro.config.ts",
            "astro.config.mts",
        ],
    },
    Runner {
        names: &["tsup"],
        word: "",
        files: &[
            "tsup.config.js",
            "tsup.config.mjs",
            "tsup.config.cjs",
            "tsup.config.ts",
            "tsup.config.mts",
        ],
    },
    Runner {
        names: &["playwright"],
        word: "",
        files: &[
            "playwright.config.js",
            "playwright.config.mjs",
            "playwright.config.cjs",
            "playwright.config.ts",
            "playwright.config.mts",
        ],
    },
    Runner {
        names: &["cypress"],
        word: "",
        files: &[
            "cypress.config.js",
            "cypress.config.mjs",
            "cypress.config.cjs",
            "cypress.config.ts",
            "cypress.config.mts",
        ],
    },
    Runner {
        names: &["mocha"],
        word: "",
        files: &[
            ".mocharc.js",
            ".mocharc.mjs",
            ".mocharc.cjs",
            ".mocharc.ts",
            ".mocharc.mts",
        ],
    },
    Runner {
        names: &["vite", "postcss", "tailwindcss", "next"],
        word: "",
        files: &[
            "postcss.config.js",
            "postcss.config.mjs",
            "postcss.config.cjs",
            "postcss.config.ts",
            "postcss.config.mts",
        ],
    },
    Runner {
        names: &["vite", "tailwindcss", "next"],
        word: "",
        files: &[
            "tailwind.config.js",
            "tailwind.config.mjs",
            "tailwind.config.cjs",
            "tailwind.config.ts",
            "tailwind.config.mts",
        ],
    },
    Runner {
        names: &["stylelint"],
        word: "",
        files: &[
            "stylelint.config.js",
            "stylelint.config.mjs",
            "stylelint.config.cjs",
            "stylelint.config.ts",
            "stylelint.config.mts",
        ],
    },
    Runner {
        names: &["lint-staged"],
        word: "",
        files: &[
            "lint-staged.config.js",
            "lint-staged.config.mjs",
            "lint-staged.config.cjs",
            "lint-staged.config.ts",
            "lint-staged.config.mts",
        ],
    },
    Runner {
        names: &["karma"],
        word: "",
        files: &[
            "karma.conf.js",
            "karma.conf.mjs",
            "karma.conf.cjs",
            "karma.conf.ts",
            "karma.conf.mts",
        ],
    },
    Runner {
        names: &[
            "pip", "pip3", "pipx", "uv", "poetry", "hatch", "pdm", "build",
        ],
        word: "",
        files: &["setup.py"],
    },
];

/// Whether a tool reads such a file.
pub(in crate::rules) fn is_read_by(name: &str) -> bool {
    RUNNERS.iter().any(|row| row.names.contains(&name))
}
