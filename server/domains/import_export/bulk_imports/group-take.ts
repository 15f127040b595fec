import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { tx } from '../../../db/database.ts'
import { findGroup, updateGroup, type Group } from '../../groups/index.ts'
import { importTree } from '../projects/import/engine/import-tree.ts'
import { cleanFileName } from '../../storage/index.ts'
import { workFolder } from '../groups/files.ts'
import { empty } from '../groups/import/store.ts'
import type { Desk } from './desk.ts'
import { fetchFiles, fetchRecords } from './fetching.ts'
import { carryFailures, orNoted } from './parts.ts'
import { SourceProblem } from './source-problem.ts'
import type { EntityStats } from './state.ts'
import { isFile, statuses, type SourceRelation } from './waiting.ts'
import { takeWiki } from './wiki.ts'

/** Fetches the relations of a group and takes them over. What an attempt before had made is taken away first. */
export async function takeGroup(desk: Desk): Promise<void> {
  const group = findGroup(desk.acting, String(desk.row.namespace_id))
  if (!group) throw new SourceProblem('The group was deleted here meanwhile.')
  tx(desk.acting.db, () => empty(desk.acting.db, group.id, desk.run.user_id))
  const folder = await workFolder(desk.acting.config, `bulk-${desk.row.id}`)
  try {
    const tree = join(folder, 'tree')
    await mkdir(tree)
    const found = await statuses(desk)
    const fetched = await fetchAllRecords(desk, [...found.values()], { folder, tree })
    await takeRecords(desk, group, { tree, found, fetched })
    if (found.get('uploads')?.isReady) await orNoted(desk, 'uploads', () => takeAvatar(desk, group, folder))
    await orNoted(desk, 'wiki', () => takeWiki(desk, { group }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fetchAllRecords(
  desk: Desk,
  found: readonly SourceRelation[],
  { folder, tree }: { folder: string; tree: string },
): Promise<string[]> {
  const fetched: string[] = []
  for (const { relation, isReady, error } of found) {
    desk.signal.throwIfAborted()
    if (error !== null)
      desk.fail({ relation, step: 'export', exception_class: 'ExportFailed', exception_message: error })
    if (!isReady || isFile('group', relation)) continue
    await orNoted(desk, relation, async () => {
      await fetchRecords(desk, relation, folder, join(tree, `${relation}.ndjson`))
      fetched.push(relation)
    })
  }
  return fetched
}

async function takeRecords(
  desk: Desk,
  group: Group,
  at: { tree: string; found: Map<string, SourceRelation>; fetched: readonly string[] },
): Promise<void> {
  const owner = { kind: 'group' as const, id: group.id }
  const given = { owner, folder: at.tree, importer: desk.run.user_id, relations: at.fetched }
  const { counts } = await importTree(desk.now(), { ...given, signal: desk.signal })
  const stats = Object.entries(counts).map(([relation, { fetched, imported }]) => [
    relation,
    { source: Math.max(at.found.get(relation)?.total ?? 0, fetched), fetched, imported },
  ])
  desk.addStats(Object.fromEntries(stats) as EntityStats)
  carryFailures(desk, { group_id: group.id })
}

async function takeAvatar(desk: Desk, group: Group, folder: string): Promise<void> {
  const target = join(folder, 'uploads')
  await fetchFiles(desk, 'uploads', folder, target)
  const [name] = await readdir(join(target, 'avatar')).catch(() => [] as string[])
  const current = findGroup(desk.acting, String(group.id))
  if (name === undefined || !current) return
  const path = join(target, 'avatar', name)
  const info = await stat(path)
  if (!info.isFile()) return
  const file = { filename: cleanFileName(name), type: '', path, size: info.size, sha256: '' }
  await updateGroup(desk.acting, current, {}, file)
}
