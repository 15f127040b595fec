import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { tx } from '../../../db/database.ts'
import { archiveNames, archivePath } from '../runs/files.ts'
import { update as updateRun } from '../runs/store.ts'
import { projectById } from '../../projects/index.ts'
import { importArchive } from '../projects/import/engine/import-archive.ts'
import { writeArchive } from '../archive/write.ts'
import { workFolder } from '../groups/files.ts'
import type { EntityRun } from './entity-run.ts'
import { carryFailures, orNoted } from './relations.ts'
import { entriesOf, layOut } from './project-layout.ts'
import { SourceProblem } from './source-problem.ts'
import type { EntityStats } from './state.ts'
import { isFile, statuses, type SourceRelation } from './waiting.ts'
import { takeWiki } from './wiki.ts'

/** Fetches everything of a project, puts it together as an archive, and has that imported. */
export async function takeProject(run: EntityRun): Promise<void> {
  const { acting } = run
  const project = projectById(acting.db, run.row.project_id ?? 0)
  if (!project) throw new SourceProblem('The project was deleted here meanwhile.')
  if (project.import_status !== 'finished') {
    const found = await statuses(run)
    await fetchArchive(run, project.id, found)
    await importArchive(run.now(), project.id)
    run.signal.throwIfAborted()
    insistOnEnd(run, project.id)
    carryFailures(run, { project_id: project.id })
    countRecords(run, found)
  }
  await orNoted(run, 'wiki', () => takeWiki(run, { project: projectById(acting.db, project.id)! }))
}

async function fetchArchive(
  run: EntityRun,
  projectId: number,
  found: ReadonlyMap<string, SourceRelation>,
): Promise<void> {
  const { acting, signal } = run
  const folder = await workFolder(acting.config, `bulk-${run.row.id}`)
  try {
    const laid = join(folder, 'archive')
    await layOut(run, laid, found)
    const { file } = archiveNames(projectId)
    await writeArchive(archivePath(acting.config, file), entriesOf(laid), { signal })
    tx(acting.db, () => updateRun(acting.db, projectId, { file }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function insistOnEnd({ acting }: EntityRun, projectId: number): void {
  const project = projectById(acting.db, projectId)
  if (project?.import_status === 'finished') return
  throw new SourceProblem(project?.import_error ?? 'The import of the project was taken back.')
}

/** The import says which records failed; the rest came through. */
function countRecords(run: EntityRun, found: ReadonlyMap<string, SourceRelation>): void {
  const failed = new Map(
    run.acting.db
      .many<{ name: string; n: number }>(
        'SELECT relation_name AS name, count(*) AS n FROM import_failures WHERE project_id = ? GROUP BY relation_name',
        run.row.project_id,
      )
      .map(({ name, n }) => [name, n]),
  )
  const stats: EntityStats = {}
  for (const { relation, total, isReady } of found.values()) {
    if (!isReady || total === 0 || isFile('project', relation)) continue
    const imported = Math.max(0, total - (failed.get(relation) ?? 0))
    stats[relation] = { source: total, fetched: total, imported }
  }
  run.addStats(stats)
}
