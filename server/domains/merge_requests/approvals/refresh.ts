import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { listChanges } from '../../../git/write/changes.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import type { Project } from '../../projects/index.ts'
import { codeOwnersOf, inRepository, readOwners, type CodeOwnerRule } from '../../repository/index.ts'
import { commitIdsOf, latestDiff, type DiffVersionRow } from '../diffs/store.ts'
import { byId } from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { isSameSet, type Rule } from './rules/rule.ts'
import * as ruleStore from './rules/store.ts'
import * as store from './store.ts'

/** The maximum number of commits that are read for their authors and committers. */
const MAX_COMMITS = 10_000

/**
 * Updates the data from git that approvals need, if the version or the target branch changed: the rules of code owners
 * for the changed files, and the authors and committers (spec administration 12.4). If nothing changed, it reads only
 * the ref of the target branch.
 */
export async function refreshApprovals(ctx: Ctx, request: MergeRequestRow, project: Project): Promise<void> {
  const version = latestDiff(ctx.db, request)
  if (!version || request.state === 'merged') return
  const { target_branch } = request
  const target_sha = await inRepository(ctx, project, (repo) => branchTip(repo, target_branch))
  const progress = store.gitDataOf(ctx.db, request.id)
  const isSameVersion = progress?.diff_id === version.id
  if (isSameVersion && progress.target_branch === target_branch && progress.target_sha === target_sha) return
  const ownerRules = target_sha === null ? [] : await codeOwnerRulesOf(ctx, project, version, target_sha)
  const committer_emails = isSameVersion
    ? progress.committer_emails
    : JSON.stringify(await commitEmailsOf(ctx, project, version))
  tx(ctx.db, () => {
    // A newer version has its own refresh.
    const current = byId(ctx.db, request.id)
    if (current?.latest_diff_id !== version.id || current.state === 'merged') return
    saveCodeOwnerRules(ctx, request.id, ownerRules)
    store.saveGitData(ctx.db, request.id, {
      diff_id: version.id,
      target_branch,
      target_sha,
      committer_emails,
    })
  })
}

async function codeOwnerRulesOf(
  ctx: Ctx,
  project: Project,
  version: DiffVersionRow,
  target_sha: string,
): Promise<CodeOwnerRule[]> {
  // Without code owners, as in most projects, the changed files do not matter.
  if ((await inRepository(ctx, project, (repo) => readOwners(repo, target_sha))) === null) return []
  const blobs = await changedFiles(ctx, project, version)
  return blobs.size === 0 ? [] : codeOwnersOf(ctx, project, target_sha, [...blobs.keys()])
}

/**
 * Returns the files that a version changes, with their new mode and blob. A renamed file counts by its old and new
 * path.
 */
export async function changedFiles(
  ctx: Ctx,
  project: Project,
  version: DiffVersionRow,
): Promise<Map<string, string>> {
  const comparison = { from: version.base_commit_sha, to: version.head_commit_sha }
  const changes = await inRepository(ctx, project, (repo) =>
    listChanges(repo, comparison, { renames: false }),
  )
  return new Map(changes.map((change) => [change.new_path, `${change.new_mode} ${change.new_id}`]))
}

async function commitEmailsOf(ctx: Ctx, project: Project, version: DiffVersionRow): Promise<string[]> {
  const ids = commitIdsOf(ctx.db, version.id, { limit: MAX_COMMITS, offset: 0 })
  const commits = await inRepository(ctx, project, (repo) => readCommits(repo, ids))
  // The author of a merge commit did not write its changes.
  const ownCommits = commits.filter((commit) => commit.parent_ids.length < 2)
  return [...new Set(ownCommits.flatMap((commit) => [commit.author_email, commit.committer_email]))]
}

const keyOf = (section: string | null, pattern: string) => `${section ?? ''}\0${pattern}`

/** Saves the code owner rules. Unchanged rules keep their IDs. */
function saveCodeOwnerRules(ctx: Ctx, requestId: number, ownerRules: readonly CodeOwnerRule[]): void {
  const stored = ruleStore
    .ofRequest(ctx.db, requestId)
    .filter((rule) => rule.rule_type === 'code_owner' && !rule.frozen)
  const existing = new Map(stored.map((rule) => [keyOf(rule.section, rule.name), rule]))
  for (const owner of ownerRules) {
    const key = keyOf(owner.section, owner.pattern)
    saveCodeOwnerRule(ctx, requestId, owner, existing.get(key))
    existing.delete(key)
  }
  for (const rule of existing.values()) ruleStore.remove(ctx.db, rule.id)
}

function saveCodeOwnerRule(
  ctx: Ctx,
  requestId: number,
  owner: CodeOwnerRule,
  existing: Rule | undefined,
): void {
  const { approvals_required, user_ids, group_ids } = owner
  const changes = { approvals_required, updated_at: ctx.now }
  if (!existing) {
    const key = { name: owner.pattern, section: owner.section, rule_type: 'code_owner' } as const
    const row = { ...key, ...changes, merge_request_id: requestId, created_at: ctx.now }
    ruleStore.insert(ctx.db, row, { user_ids, group_ids })
    return
  }
  const isSame =
    existing.approvals_required === approvals_required &&
    isSameSet(existing.user_ids, user_ids) &&
    isSameSet(existing.group_ids, group_ids)
  if (!isSame) ruleStore.update(ctx.db, existing.id, changes, { user_ids, group_ids })
}
