import { childrenOf, flagOf, requiredText, timeOf, wholeOf } from './checked.ts'
import { relation, UnusableRecord, type Fields, type Row, type Source, type Target } from './relation.ts'

const MAINTAINER = 40
const KINDS = ['merge', 'push', 'unprotect'] as const

interface LevelToWrite {
  readonly kind?: (typeof KINDS)[number]
  readonly access_level: number
  readonly user_id: number | null
  readonly group_id: number | null
}

const levelRecord = ({ access_level, user_id, group_id }: LevelToWrite): Fields => ({
  access_level,
  user_id,
  group_id,
})

/**
 * The level that is kept: nobody and maintainers, everything else for owners of the outermost group alone (spec administration
 * 6.5). Levels of single people and groups mean nothing here.
 */
function levelsOf(records: readonly Fields[], into: Target): number[] {
  const levels = records.map((record) => {
    const level = wholeOf(record, 'access_level') ?? MAINTAINER
    const isKept = level === 0 || level === MAINTAINER || (into.importer.owns_root_group && level === 30)
    return isKept && !isOfSomebody(record) ? level : MAINTAINER
  })
  return [...new Set(levels)]
}

function isOfSomebody(record: Fields): boolean {
  return typeof record['user_id'] === 'number' || typeof record['group_id'] === 'number'
}

function idOf(into: Target, table: string, name: string): number | undefined {
  return into.db.one<{ id: number }>(
    `SELECT id FROM ${table} WHERE project_id = ? AND name = ?`,
    into.owner.id,
    name,
  )?.id
}

function times(record: Fields, into: Target): Row {
  const created_at = timeOf(record, 'created_at') ?? into.now
  return { created_at, updated_at: timeOf(record, 'updated_at') ?? created_at }
}

function nameOf(record: Fields): string {
  const name = requiredText(record, 'name', 1024)
  if (/[\0-\x20\x7f~^:?[\\]|\.\./.test(name)) throw new UnusableRecord('name is invalid')
  return name
}

const countOf = (table: string) => (from: Source) =>
  from.db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE project_id = ?`, from.owner.id)!.n

/** Who may change which branches. Deploy keys stay where they are. */
export const protected_branches = relation({
  name: 'protected_branches',
  of: ['project'],
  *records({ db, owner }) {
    const rows = db.each<{
      id: number
      name: string
      allow_force_push: boolean
      code_owner_approval_required: boolean
      created_at: string
      updated_at: string
    }>('SELECT * FROM protected_branches WHERE project_id = ? ORDER BY id', owner.id)
    for (const row of rows) {
      const levels = db.many<LevelToWrite>(
        `SELECT kind, access_level, user_id, group_id FROM protected_branch_levels
         WHERE protected_branch_id = ? AND deploy_key_id IS NULL ORDER BY id`,
        row.id,
      )
      const of = (kind: string): Fields[] => levels.filter((one) => one.kind === kind).map(levelRecord)
      yield {
        name: row.name,
        code_owner_approval_required: row.code_owner_approval_required,
        allow_force_push: row.allow_force_push,
        project_id: owner.id,
        created_at: row.created_at,
        updated_at: row.updated_at,
        merge_access_levels: of('merge'),
        push_access_levels: of('push'),
        unprotect_access_levels: of('unprotect'),
      }
    }
  },
  count: countOf('protected_branches'),
  take(record, into) {
    const name = nameOf(record)
    const columns = {
      allow_force_push: flagOf(record, 'allow_force_push'),
      code_owner_approval_required: flagOf(record, 'code_owner_approval_required'),
    }
    const known = idOf(into, 'protected_branches', name)
    if (known !== undefined) {
      into.update('protected_branches', known, columns)
      into.remember('protected_branch', name, known)
      return
    }
    const row = { project_id: into.owner.id, name, ...columns, ...times(record, into) }
    const id = into.insert('protected_branches', row)
    into.remember('protected_branch', name, id)
    for (const kind of KINDS)
      for (const access_level of levelsOf(childrenOf(record, `${kind}_access_levels`), into))
        into.insert('protected_branch_levels', { protected_branch_id: id, kind, access_level })
  },
})

/** Who may make which tags. */
export const protected_tags = relation({
  name: 'protected_tags',
  of: ['project'],
  *records({ db, owner }) {
    const rows = db.each<{ id: number; name: string; created_at: string; updated_at: string }>(
      'SELECT id, name, created_at, updated_at FROM protected_tags WHERE project_id = ? ORDER BY id',
      owner.id,
    )
    for (const { id, ...row } of rows) {
      const levels = db.many<LevelToWrite>(
        `SELECT access_level, user_id, group_id FROM protected_tag_levels
         WHERE protected_tag_id = ? AND deploy_key_id IS NULL ORDER BY id`,
        id,
      )
      yield { ...row, project_id: owner.id, create_access_levels: levels.map(levelRecord) }
    }
  },
  count: countOf('protected_tags'),
  take(record, into) {
    const name = nameOf(record)
    if (idOf(into, 'protected_tags', name) !== undefined) return
    const row = { project_id: into.owner.id, name, ...times(record, into) }
    const protected_tag_id = into.insert('protected_tags', row)
    for (const access_level of levelsOf(childrenOf(record, 'create_access_levels'), into))
      into.insert('protected_tag_levels', { protected_tag_id, access_level })
  },
})
