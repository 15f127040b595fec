import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { fetchBundle } from '../../../../git/transport/bundle.ts'
import type { Visibility } from '../../../../policy/levels.ts'
import { createGroup, findGroup, updateGroup, type Group } from '../../../groups/index.ts'
import { cleaned } from '../../imports/reasons.ts'
import { firstSentence } from '../../imports/target.ts'
import { moveFailures, recordFailures } from '../../imports/store.ts'
import { cleanFileName } from '../../../storage/index.ts'
import { fillWiki } from '../../../wikis/index.ts'
import { importTree } from '../../projects/import/engine/import-tree.ts'
import { narrowestOf } from '../../relations/groups.ts'
import type { GroupImport } from './store.ts'
import type { TreeGroup } from './tree.ts'

/** The terms of an import. */
interface FillContext {
  /** The context of the importer. */
  readonly acting: Ctx
  /** The context with the current time. */
  readonly now: () => Ctx
  /** Stores the progress. */
  note(changes: Partial<GroupImport>): void
}

interface Unpacked {
  readonly folder: string
  readonly signal: AbortSignal
}

/** A group of the archive, and the group here. */
interface Imported {
  readonly from: TreeGroup
  readonly group: Group
}

/**
 * Imports the groups of an archive (spec administration 6.8): settings and subgroups, then the relations of each. The top group
 * keeps its name, path and visibility, and collects all failures.
 */
export async function fillGroup(
  context: FillContext,
  top: Group,
  tree: TreeGroup,
  at: Unpacked,
): Promise<void> {
  const { acting, note } = context
  const whole = count(tree)
  note({ step: 'groups', done: 0, total: whole })
  const { visibility: _visibility, ...columns } = tree.columns
  const groups: Imported[] = [{ from: tree, group: await updateGroup(acting, top, columns) }]
  for (let index = 0; index < groups.length; index++) {
    at.signal.throwIfAborted()
    const { from, group } = groups[index]!
    for (const one of from.below) groups.push({ from: one, group: await makeBelow(acting, group, one) })
    if (index % 50 === 0) note({ step: 'groups', done: groups.length, total: whole })
  }
  for (const [index, one] of groups.entries()) {
    note({ step: 'relations', done: index, total: groups.length })
    await takeRelations(context, one, top.id, at)
  }
  note({ step: 'repositories', done: 0, total: groups.length })
  for (const one of groups) await takeFiles(context, one, top.id, at)
}

function count(group: TreeGroup): number {
  return 1 + group.below.reduce((sum, one) => sum + count(one), 0)
}

function makeBelow(
  acting: Ctx,
  parent: Group,
  { name, path, visibility, columns }: TreeGroup,
): Promise<Group> {
  const { shared_runners_setting: _runners, share_with_group_lock: _lock, ...rest } = columns
  const narrow = narrowestOf(visibility, parent.visibility as Visibility)
  return createGroup(acting, { name, path, parent_id: parent.id, columns: { ...rest, visibility: narrow } })
}

async function takeRelations(
  { acting, now }: FillContext,
  { from, group }: Imported,
  topId: number,
  at: Unpacked,
): Promise<void> {
  const folder = join(at.folder, 'tree', 'groups', String(from.id))
  if (!existsSync(folder)) return
  const owner = { kind: 'group' as const, id: group.id }
  const { failures } = await importTree(now(), {
    owner,
    folder,
    importer: acting.actor.id!,
    signal: at.signal,
  })
  // The top group shows the failures of all groups.
  if (failures > 0 && group.id !== topId) tx(acting.db, () => moveFailures(acting.db, group.id, topId))
}

/** Imports avatar and wiki; an error there fails only that part. */
async function takeFiles(
  context: FillContext,
  imported: Imported,
  topId: number,
  at: Unpacked,
): Promise<void> {
  await orNoted(context, topId, 'avatar', at, () => takeAvatar(context, imported, at))
  await orNoted(context, topId, 'wiki_repository', at, () => takeWiki(context, imported, at))
}

async function orNoted(
  { now, acting }: FillContext,
  topId: number,
  relation_name: string,
  { signal }: Unpacked,
  work: () => Promise<void>,
): Promise<void> {
  signal.throwIfAborted()
  try {
    await work()
  } catch (error) {
    signal.throwIfAborted()
    acting.log.warn({ err: error, group_id: topId }, 'a part of a group could not be imported')
    const sentence = firstSentence(error) ?? (error as Error).message
    recordFailures(now(), { group_id: topId }, [
      {
        relation_name,
        source: 'restore',
        exception_class: (error as Error).name,
        exception_message: cleaned(sentence),
      },
    ])
  }
}

async function takeAvatar(
  { acting }: FillContext,
  { from, group }: Imported,
  { folder }: Unpacked,
): Promise<void> {
  const [name] = await readdir(join(folder, 'avatar', String(from.id))).catch(() => [] as string[])
  const current = findGroup(acting, String(group.id))
  if (name === undefined || !current) return
  const path = join(folder, 'avatar', String(from.id), name)
  const info = await stat(path)
  if (!info.isFile()) return
  const file = { filename: cleanFileName(name), type: '', path, size: info.size, sha256: '' }
  await updateGroup(acting, current, {}, file)
}

async function takeWiki(
  { now }: FillContext,
  { from, group }: Imported,
  { folder, signal }: Unpacked,
): Promise<void> {
  const bundle = join(folder, 'repositories', `${from.id}.wiki.bundle`)
  if (!existsSync(bundle)) return
  await fillWiki(now(), { group }, (repo) => fetchBundle(repo, bundle, { signal }))
}
