//! Which letter stands for which long option, for the programs that projects write rules about.
//!
//! An entry is `letters=name,name`; a colon behind the letters says that the option takes a value.

const TABLE: &[(&str, &str)] = &[
    ("rm", "rR=recursive f=force i=interactive d=dir v=verbose I"),
    ("rmdir", "p=parents v=verbose"),
    (
        "cp",
        "rR=recursive a=archive,recursive f=force n=no-clobber u=update v=verbose t:=target-directory l=link s=symbolic-link p i=interactive",
    ),
    (
        "mv",
        "f=force n=no-clobber u=update v=verbose t:=target-directory i=interactive b=backup",
    ),
    (
        "ln",
        "s=symbolic f=force r=relative v=verbose n=no-dereference t:=target-directory",
    ),
    ("mkdir", "p=parents m:=mode v=verbose"),
    ("touch", "a c=no-create m d:=date r:=reference t:"),
    ("chmod", "R=recursive v=verbose c=changes f=silent"),
    (
        "chown",
        "R=recursive v=verbose c=changes f=silent h=no-dereference",
    ),
    (
        "sed",
        "i=in-place E=regexp-extended r=regexp-extended n=quiet e:=expression f:=file s=separate z=null-data",
    ),
    (
        "grep",
        "r=recursive R=dereference-recursive i=ignore-case v=invert-match n=line-number l=files-with-matches e:=regexp f:=file E=extended-regexp",
    ),
    (
        "make",
        "f:=file C:=directory B=always-make n=dry-run k=keep-going s=silent i=ignore-errors",
    ),
    (
        "pytest",
        "m:=m k:=k x=exitfirst s=s v=verbose q=quiet n:=numprocesses p:=p c:=config-file o:=override-ini",
    ),
    (
        "pip",
        "r:=requirement e:=editable U=upgrade t:=target c:=constraint q=quiet v=verbose y=yes",
    ),
    (
        "npm",
        "g=global D=save-dev S=save f=force w:=workspace y=yes C:=prefix E=save-exact",
    ),
    (
        "pnpm",
        "g=global D=save-dev r=recursive w=workspace-root F:=filter C:=dir",
    ),
    (
        "cargo",
        "r=release p:=package j:=jobs q=quiet v=verbose F:=features Z: C:",
    ),
    (
        "docker",
        "d=detach i=interactive t=tty v:=volume p:=publish e:=env u:=user w:=workdir",
    ),
    ("docker rm", "f=force v=volumes"),
    ("docker rmi", "f=force"),
    (
        "kubectl",
        "f:=filename n:=namespace A=all-namespaces R=recursive l:=selector o:=output",
    ),
    (
        "curl",
        "X:=request d:=data o:=output L=location s=silent H:=header k=insecure f=fail u:=user F:=form T:=upload-file",
    ),
    (
        "git add",
        "A=all u=update f=force p=patch i=interactive n=dry-run N=intent-to-add e=edit v=verbose",
    ),
    (
        "git branch",
        "d=delete D=delete,force f=force m=move M=move,force c=copy a=all r=remotes u:=set-upstream-to l=list v=verbose q=quiet",
    ),
    (
        "git checkout",
        "f=force b: B: q=quiet t=track p=patch m=merge l d=detach",
    ),
    (
        "git cherry-pick",
        "n=no-commit e=edit x m:=mainline s=signoff X:=strategy-option",
    ),
    (
        "git clean",
        "f=force d x X n=dry-run i=interactive e:=exclude q=quiet",
    ),
    (
        "git commit",
        "n=no-verify a=all m:=message F:=file s=signoff p=patch e=edit q=quiet v=verbose C:=reuse-message c:=reedit-message t:=template i=include o=only",
    ),
    (
        "git fetch",
        "p=prune f=force a=append t=tags q=quiet v=verbose",
    ),
    (
        "git merge",
        "n=no-stat s:=strategy X:=strategy-option m:=message F:=file e=edit q=quiet v=verbose",
    ),
    (
        "git pull",
        "r=rebase n=no-stat q=quiet v=verbose s:=strategy X:=strategy-option",
    ),
    (
        "git push",
        "f=force n=dry-run d=delete u=set-upstream q=quiet v=verbose o:=push-option",
    ),
    (
        "git rebase",
        "i=interactive m=merge s:=strategy X:=strategy-option x:=exec f=force-rebase r=rebase-merges n=no-stat q=quiet v=verbose",
    ),
    ("git reset", "q=quiet p=patch N=intent-to-add"),
    (
        "git restore",
        "s:=source S=staged W=worktree p=patch q=quiet",
    ),
    (
        "git revert",
        "n=no-commit e=edit m:=mainline s=signoff X:=strategy-option",
    ),
    ("git rm", "r f=force n=dry-run q=quiet"),
    (
        "git stash",
        "u=include-untracked a=all k=keep-index m:=message p=patch q=quiet",
    ),
    (
        "git switch",
        "c:=create C:=force-create f=force d=detach m=merge q=quiet t=track",
    ),
    (
        "git tag",
        "d=delete f=force a=annotate s=sign m:=message F:=file l=list u:=local-user",
    ),
];

/// What a letter of an option means.
pub(super) struct Letter {
    pub(super) valued: bool,
    pub(super) names: Vec<&'static str>,
}

/// The options of one program, or of one of its subcommands.
#[derive(Clone, Copy)]
pub(super) struct Letters(&'static str);

impl Letters {
    pub(super) fn of(program: &str, sub: &str) -> Option<Self> {
        let find = |name: &str| TABLE.iter().find(|(known, _)| *known == name);
        let (_, spec) = find(&format!("{program} {sub}")).or_else(|| find(program))?;
        Some(Self(spec))
    }

    fn entries(self) -> impl Iterator<Item = (&'static str, Letter)> {
        self.0.split_whitespace().map(|entry| {
            let (letters, names) = entry.split_once('=').unwrap_or((entry, ""));
            let names = names.split(',').filter(|name| !name.is_empty()).collect();
            let plain = letters.trim_end_matches(':');
            let valued = plain.len() < letters.len();
            (plain, Letter { valued, names })
        })
    }

    pub(super) fn letter(self, letter: char) -> Option<Letter> {
        let (_, found) = self
            .entries()
            .find(|(letters, _)| letters.contains(letter))?;
        Some(found)
    }

    /// A long option, perhaps shortened as far as it is still the only one.
    pub(super) fn long(self, given: &str) -> Option<(&'static str, bool)> {
        let named = || {
            self.entries()
                .filter_map(|(_, letter)| match letter.names.as_slice() {
                    [name] => Some((*name, letter.valued)),
                    _ => None,
                })
        };
        let exact = named().find(|(name, _)| *name == given);
        exact.or_else(|| {
            let mut longer = named().filter(|(name, _)| given.len() > 1 && name.starts_with(given));
            let first = longer.next()?;
            longer.all(|(name, _)| name == first.0).then_some(first)
        })
    }
}
