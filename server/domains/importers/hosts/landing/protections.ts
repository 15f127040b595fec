import { once, type ImportTarget } from './target.ts'
import type { NewProtection } from './inputs.ts'
import { CannotLand } from './cannot-land.ts'

/** See Landing.protectedBranch. */
export function landProtection(target: ImportTarget, given: NewProtection): number | null {
  return once(target, 'protected_branch', given.source_key, () => {
    if (given.name.trim() === '' || given.name.length > 255) throw new CannotLand('Name is invalid')
    return existing(target, given) ?? insert(target, given)
  })
}

function insert({ ctx, projectId }: ImportTarget, given: NewProtection): number {
  const { id } = ctx.db.exec(
    `INSERT INTO protected_branches (project_id, name, allow_force_push, code_owner_approval_required, created_at, updated_at)
     VALUES (?, ?, ?, 0, ?, ?)`,
    projectId,
    given.name,
    given.allow_force_push ?? false,
    ctx.now,
    ctx.now,
  )
  for (const kind of ['push', 'merge'] as const)
    ctx.db.exec(
      'INSERT INTO protected_branch_levels (protected_branch_id, kind, access_level) VALUES (?, ?, ?)',
      id,
      kind,
      given[kind],
    )
  return id
}

/** The default branch is protected by the instance already: of both levels the stricter one holds. */
function existing({ ctx, projectId }: ImportTarget, given: NewProtection): number | undefined {
  const sql = 'SELECT id FROM protected_branches WHERE project_id = ? AND name = ?'
  const found = ctx.db.one<{ id: number }>(sql, projectId, given.name)
  if (!found) return undefined
  for (const kind of ['push', 'merge'] as const)
    ctx.db.exec(
      `UPDATE protected_branch_levels SET access_level = ? WHERE protected_branch_id = ? AND kind = ?
         AND user_id IS NULL AND group_id IS NULL AND deploy_key_id IS NULL AND access_level <> 0
         AND (? = 0 OR access_level < ?)`,
      given[kind],
      found.id,
      kind,
      given[kind],
      given[kind],
    )
  ctx.db.exec(
    'UPDATE protected_branches SET allow_force_push = ?, updated_at = ? WHERE id = ?',
    given.allow_force_push ?? false,
    ctx.now,
    found.id,
  )
  return found.id
}
