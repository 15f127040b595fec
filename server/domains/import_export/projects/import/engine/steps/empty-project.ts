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
import { recordFailures, type Run } from '../../../../imports/store.ts'
import { rowDeleter, referencesToProjects, type ProjectReference } from '../../store.ts'

/** Tables that have no content of archives: those of the import itself, and of rows that every project has. */
const UNTOUCHED_TABLES = new Set(
  `import_runs import_failures import_marks relation_imports exports relation_exports push_rules integrations web_hooks
   hook_events redirects project_stars ref_journal repository_storage_moves`.split(/\s+/),
)
/** Tables with many references. They are emptied first, so that no single deletion cascades to thousands of rows. */
const EMPTIED_FIRST = ['todos', 'notes', 'activity_events', 'merge_requests', 'issues', 'ci_pipelines']
const SLICE_MS = 5
const BATCH_ROWS = 20

/**
 * Deletes everything that an import created in a project: rows, refs, wiki, snippets and files. Keeps the row of the
 * project. Called when an import starts again, has failed or was canceled. May be repeated.
 */
export async function emptyProject(ctx: Ctx, project: Project, importer: number): Promise<void> {
  const wiki = wikiOfProject(ctx.db, project.id)
  if (wiki) await removeRepository(repoOfWiki(ctx, wiki))
  for (const reference of referencesOf(ctx.db)) await removeRows(ctx.db, reference, project.id, importer)
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

function referencesOf(db: Database): ProjectReference[] {
  const rank = ({ table }: ProjectReference): number =>
    (EMPTIED_FIRST.indexOf(table) + EMPTIED_FIRST.length + 1) % (EMPTIED_FIRST.length + 1)
  return referencesToProjects(db)
    .filter(({ table }) => !UNTOUCHED_TABLES.has(table))
    .sort((a, b) => rank(a) - rank(b))
}

/** Deletes a few rows at a time and yields to other requests in between. */
async function removeRows(
  db: Database,
  reference: ProjectReference,
  projectId: number,
  importer: number,
): Promise<void> {
  const removeSome = rowDeleter(db, reference, { projectId, importer, limit: BATCH_ROWS })
  for (let removed = 1; removed > 0; await nextTurn()) {
    const deadline = performance.now() + SLICE_MS
    tx(db, () => {
      do removed = removeSome()
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

/** The running import of an archive into a project. */
export interface ArchiveImport {
  readonly ctx: Ctx
  readonly project: Project
  readonly run: Run
  /** The folder of the unpacked archive, which is deleted when the import ends. */
  readonly folder: string
  readonly signal: AbortSignal
  /** ID of the importing user. */
  readonly importer: number
  /** Stores the progress. The window translates the steps. */
  report(step: string, done?: number, total?: number): void
}

/** Records that a part of the archive, other than a record of a relation, was not imported. */
export function recordOmission({ ctx, project }: ArchiveImport, relation: string, sentence: string): void {
  recordFailures(ctx, { project_id: project.id }, [
    {
      relation_name: relation,
      line_number: null,
      source: 'import_archive',
      exception_class: 'StandardError',
      exception_message: sentence,
    },
  ])
}
