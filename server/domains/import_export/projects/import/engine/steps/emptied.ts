import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { tx, type Database } from '../../../../../../db/database.ts'
import { listRefs, updateRefs } from '../../../../../../git/write/refs.ts'
import { removeRepository, repositoryExists, withWriteLock } from '../../../../../../git/upkeep/repository.ts'
import type { Ctx } from '../../../../../../ctx.ts'
import { removeFilesOf } from '../../../../../markdown/index.ts'
import { projectById, repoOf, updateProjectRow, type Project } from '../../../../../projects/index.ts'
import { removeSnippetRepositories } from '../../../../../snippets/index.ts'
import { repoOfWiki, wikiOfProject } from '../../../../../wikis/index.ts'

/** What belongs to a project and not to what an archive brings: how it is filled, and what it was made with. */
const KEPT = new Set(
  `import_runs import_failures import_marks relation_imports exports relation_exports push_rules integrations web_hooks
   hook_events redirects project_stars ref_journal repository_storage_moves`.split(/\s+/),
)
/** Whatever hangs from many others goes first, so that no row takes thousands with it. */
const FIRST = ['todos', 'notes', 'activity_events', 'merge_requests', 'issues', 'ci_pipelines']
const SLICE_MS = 5
const ROWS = 20

/**
 * Takes back everything that an import has brought into a project: rows, refs, wiki, snippets, files. What the project itself is stays.
 * For one that is begun anew, and one that failed or was canceled. May be repeated.
 */
export async function emptyProject(ctx: Ctx, project: Project, importer: number): Promise<void> {
  const wiki = wikiOfProject(ctx.db, project.id)
  if (wiki) await removeRepository(repoOfWiki(ctx, wiki))
  for (const { table, column } of tablesOf(ctx.db))
    await removeRows(ctx.db, { table, column }, project.id, importer)
  await removeSnippetRepositories(ctx, { project_id: project.id })
  await removeFilesOf(ctx, { project_id: project.id })
  if (!projectById(ctx.db, project.id)) return removeRepository(repoOf(ctx, project))
  await removeRefs(ctx, project)
  tx(ctx.db, () => {
    if (projectById(ctx.db, project.id))
      updateProjectRow(ctx.db, project.id, {
        avatar: null,
        empty_repo: true,
        commit_count: 0,
        uploads_size: 0,
        readme_path: null,
      })
  })
}

interface Reference {
  readonly table: string
  readonly column: string
}

/** Columns that make rows part of a project: they fall with it. */
function tablesOf(db: Database): Reference[] {
  const found = db.many<Reference>(
    `SELECT t.name AS "table", f."from" AS "column" FROM sqlite_master t, pragma_foreign_key_list(t.name) f
     WHERE t.type = 'table' AND f."table" = 'projects' AND f.on_delete = 'CASCADE'`,
  )
  const rank = ({ table }: Reference): number =>
    (FIRST.indexOf(table) + FIRST.length + 1) % (FIRST.length + 1)
  return found.filter(({ table }) => !KEPT.has(table)).sort((a, b) => rank(a) - rank(b))
}

/** Few at a time: others have their turn. */
async function removeRows(
  db: Database,
  { table, column }: Reference,
  projectId: number,
  importer: number,
): Promise<void> {
  const others = table === 'members' ? `AND user_id <> ${importer}` : ''
  const isNumbered =
    db.one(`SELECT 1 FROM pragma_table_info(?) WHERE name = 'id' AND pk = 1`, table) !== undefined
  const sql = isNumbered
    ? `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${column} = ? ${others} ORDER BY id DESC LIMIT ${ROWS})`
    : `DELETE FROM ${table} WHERE ${column} = ? ${others}`
  for (let removed = 1; removed > 0; await nextTurn()) {
    const deadline = performance.now() + SLICE_MS
    tx(db, () => {
      do removed = db.exec(sql, projectId).changes
      while (removed > 0 && performance.now() < deadline)
    })
  }
}

async function removeRefs(ctx: Ctx, project: Project): Promise<void> {
  const repo = repoOf(ctx, project)
  if (!(await repositoryExists(repo))) return
  await withWriteLock(repo, async () => {
    const refs = await listRefs(repo, 'refs/')
    await updateRefs(
      repo,
      refs.map(({ ref, oid }) => ({ ref, old: oid, new: null })),
    )
  })
}
