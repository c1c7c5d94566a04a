#!/usr/bin/env bash
# Refuse commit subjects of more than 72 characters.
#
# usage: scripts/commit_subjects.sh FILE   check the message in FILE (the commit-msg hook)
#        scripts/commit_subjects.sh        check every commit since the rule holds (.ci/run)
set -euo pipefail
export LC_ALL=C.UTF-8

readonly longest=72
readonly since=2026-11-22T07:00:00Z # the rule holds for commits from this time on
failed=0

check() {
    local -r subject=$1
    [ ${#subject} -le $longest ] && return
    printf 'commit subject has %d characters, at most %d are allowed: %s\n' ${#subject} $longest "$subject" >&2
    failed=1
}

if [ $# -eq 1 ]; then
    check "$(sed -n '/^[^#]/{p;q;}' "$1")"
else
    cd "$(dirname "$0")/.."
    while IFS= read -r subject; do
        check "$subject"
    done < <(git log --no-merges --since=$since --format=%s)
fi
[ $failed -eq 0 ] || echo "say what changes in the subject and why in the body: git commit --amend" >&2
exit $failed
