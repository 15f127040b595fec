import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { tx } from '../../../db/database.ts'
import { findGroup, updateGroup, type Group } from '../../groups/index.ts'
import { importTree } from '../projects/import/engine/import-tree.ts'
import { cleanFileName } from '../../storage/index.ts'
import { workFolder } from '../exports/files.ts'
import { empty } from '../groups/import/store.ts'
import { type EntityRun, moveFailures, orFailure } from './work.ts'
import { fetchFiles, fetchRecords, takeWiki } from './fetching.ts'
import { SourceProblem } from './source.ts'
import type { EntityStats } from './state.ts'
import { isFile, statuses, type SourceRelation } from './waiting.ts'

/** Downloads the relations of a group and imports them. What an earlier attempt made is deleted first. */
export async function takeGroup(run: EntityRun): Promise<void> {
  const group = findGroup(run.acting, String(run.row.namespace_id))
  if (!group) throw new SourceProblem('The group was deleted here meanwhile.')
  tx(run.acting.db, () => empty(run.acting.db, group.id, run.run.user_id))
  const folder = await workFolder(run.acting.config, `bulk-${run.row.id}`)
  try {
    const tree = join(folder, 'tree')
    await mkdir(tree)
    const found = await statuses(run)
    const fetched = await fetchAllRecords(run, [...found.values()], { folder, tree })
    await takeRecords(run, group, { tree, found, fetched })
    if (found.get('uploads')?.isReady) await orFailure(run, 'uploads', () => takeAvatar(run, group, folder))
    await orFailure(run, 'wiki', () => takeWiki(run, { group }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fetchAllRecords(
  run: EntityRun,
  found: readonly SourceRelation[],
  { folder, tree }: { folder: string; tree: string },
): Promise<string[]> {
  const fetched: string[] = []
  for (const { relation, isReady, error } of found) {
    run.signal.throwIfAborted()
    if (error !== null)
      run.fail({ relation, step: 'export', exception_class: 'ExportFailed', exception_message: error })
    if (!isReady || isFile('group', relation)) continue
    await orFailure(run, relation, async () => {
      await fetchRecords(run, relation, folder, join(tree, `${relation}.ndjson`))
      fetched.push(relation)
    })
  }
  return fetched
}

async function takeRecords(
  run: EntityRun,
  group: Group,
  at: { tree: string; found: Map<string, SourceRelation>; fetched: readonly string[] },
): Promise<void> {
  const owner = { kind: 'group' as const, id: group.id }
  const given = { owner, folder: at.tree, importer: run.run.user_id, relations: at.fetched }
  const { counts } = await importTree(run.now(), { ...given, signal: run.signal })
  const stats = Object.entries(counts).map(([relation, { fetched, imported }]) => [
    relation,
    { source: Math.max(at.found.get(relation)?.total ?? 0, fetched), fetched, imported },
  ])
  run.addStats(Object.fromEntries(stats) as EntityStats)
  moveFailures(run, { group_id: group.id })
}

async function takeAvatar(run: EntityRun, group: Group, folder: string): Promise<void> {
  const target = join(folder, 'uploads')
  await fetchFiles(run, 'uploads', folder, target)
  const [name] = await readdir(join(target, 'avatar')).catch(() => [] as string[])
  const current = findGroup(run.acting, String(group.id))
  if (name === undefined || !current) return
  const path = join(target, 'avatar', name)
  const info = await stat(path)
  if (!info.isFile()) return
  const file = { filename: cleanFileName(name), type: '', path, size: info.size, sha256: '' }
  await updateGroup(run.acting, current, {}, file)
}
