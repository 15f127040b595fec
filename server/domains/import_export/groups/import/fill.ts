import { existsSync, createReadStream } from 'node:fs'
import { readdir, stat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { fetchBundle } from '../../../../git/transport/bundle.ts'
import { SERVICE_NAME } from '../../../../lib/aliases.ts'
import type { Visibility } from '../../../../policy/levels.ts'
import { createGroup, findGroup, updateGroup, type Group } from '../../../groups/index.ts'
import { ArchiveProblem } from '../../archive/unpack.ts'
import { LAYOUT_VERSION } from '../../archive/write.ts'
import { cleaned } from '../../imports/status.ts'
import { firstSentence } from '../../imports/target.ts'
import { moveFailures, recordFailures } from '../../imports/store.ts'
import { cleanFileName } from '../../../storage/index.ts'
import { fillWiki } from '../../../wikis/index.ts'
import { importTree } from '../../projects/import/engine/import-tree.ts'
import { narrowestOf, groupOf, type ImportedGroup } from '../../relations/groups.ts'
import { UnusableRecord, type Fields } from '../../relations/relation.ts'
import type { GroupImport } from './store.ts'

/** The maximum number of groups in an archive. */
const MAX_GROUPS = 20_000
const MAX_DEPTH = 20
const MAX_ATTRIBUTES_BYTES = 1024 * 1024

/** A group of an archive with its subgroups. */
interface TreeGroup extends ImportedGroup {
  readonly children: TreeGroup[]
}

/**
 * Reads the top group of an unpacked archive, with its subgroups. Throws ArchiveProblem if it is not the archive of a
 * group.
 */
export async function readTree(folder: string): Promise<TreeGroup> {
  await checkLayout(folder)
  const ids = await idsOf(join(folder, 'tree', 'groups', '_all.ndjson'))
  const groups = new Map<number, TreeGroup>()
  let top: TreeGroup | undefined
  for (const id of ids) {
    const attributes = {
      ...(await attributesIn(join(folder, 'tree', 'groups', `${id}.json`))),
      id,
      children: [],
    }
    if (groups.has(id)) throw new ArchiveProblem('The archive has the same group twice.')
    const parent = attributes.parent_id === null ? undefined : groups.get(attributes.parent_id)
    groups.set(id, attributes)
    if (parent) parent.children.push(attributes)
    // The top group may be an exported subgroup. Its parent is not in the archive.
    else if (!top) top = attributes
    else throw new ArchiveProblem('The archive has a group without its parent.')
  }
  if (!top) throw new ArchiveProblem('The archive has no group.')
  checkDepth(top, 0)
  return top
}

async function checkLayout(folder: string): Promise<void> {
  const version = (await readSmall(join(folder, 'VERSION')).catch(() => null))?.trim()
  if (version === undefined || version === null || version === '')
    throw new ArchiveProblem('The archive does not contain its layout version; it is not an export.')
  if (version !== LAYOUT_VERSION)
    throw new ArchiveProblem(
      `Import version mismatch: Required ${LAYOUT_VERSION} but was ${version.slice(0, 20)}`,
    )
  if (existsSync(join(folder, 'tree', 'groups', '_all.ndjson'))) return
  const isProject =
    existsSync(join(folder, 'tree', 'project.json')) || existsSync(join(folder, 'project.json'))
  throw new ArchiveProblem(
    isProject
      ? 'This is the archive of a project, not of a group.'
      : `This archive does not come from the export of a group (${SERVICE_NAME} layout).`,
  )
}

async function idsOf(file: string): Promise<number[]> {
  const ids: number[] = []
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const text = line.trim().replaceAll('"', '')
    if (text === '') continue
    if (!/^[1-9]\d{0,14}$/.test(text))
      throw new ArchiveProblem('The list of groups in the archive is damaged.')
    ids.push(Number(text))
    if (ids.length > MAX_GROUPS) throw new ArchiveProblem('The archive has too many groups.')
  }
  return ids
}

async function attributesIn(file: string): Promise<ImportedGroup> {
  try {
    const record = JSON.parse(await readSmall(file)) as Fields | null
    if (typeof record !== 'object' || record === null || Array.isArray(record)) throw new SyntaxError()
    return groupOf(record)
  } catch (error) {
    if (error instanceof UnusableRecord) throw new ArchiveProblem(`${error.message}.`)
    if (error instanceof ArchiveProblem) throw error
    throw new ArchiveProblem('The attributes of a group in the archive are missing or damaged.')
  }
}

async function readSmall(file: string): Promise<string> {
  if ((await stat(file)).size > MAX_ATTRIBUTES_BYTES)
    throw new ArchiveProblem('The attributes of a group in the archive are too large.')
  return readFile(file, 'utf8')
}

function checkDepth(group: TreeGroup, depth: number): void {
  if (depth > MAX_DEPTH) throw new ArchiveProblem('The groups of the archive are nested too deeply.')
  for (const child of group.children) checkDepth(child, depth + 1)
}

/** The callbacks and contexts of an import. */
interface FillContext {
  /** The context of the importer. */
  readonly userCtx: Ctx
  /** The context with the current time. */
  readonly now: () => Ctx
  /** Stores the progress. */
  storeProgress(changes: Partial<GroupImport>): void
}

interface UnpackedArchive {
  readonly folder: string
  readonly signal: AbortSignal
}

/** A group of the archive, and the group that was created from it. */
interface CreatedGroup {
  readonly source: TreeGroup
  readonly group: Group
}

/**
 * Imports the groups of an archive (spec administration 6.8): first settings and subgroups, then the relations of each
 * group, then wikis and avatars. The top group keeps its name, path and visibility, and shows the failures of all
 * groups.
 */
export async function importGroups(
  context: FillContext,
  top: Group,
  tree: TreeGroup,
  archive: UnpackedArchive,
): Promise<void> {
  const { userCtx, storeProgress } = context
  const total = count(tree)
  storeProgress({ step: 'groups', done: 0, total: total })
  const { visibility: _visibility, ...columns } = tree.columns
  const groups: CreatedGroup[] = [{ source: tree, group: await updateGroup(userCtx, top, columns) }]
  for (let index = 0; index < groups.length; index++) {
    archive.signal.throwIfAborted()
    const { source, group } = groups[index]!
    for (const child of source.children)
      groups.push({ source: child, group: await createSubgroup(userCtx, group, child) })
    if (index % 50 === 0) storeProgress({ step: 'groups', done: groups.length, total: total })
  }
  for (const [index, entry] of groups.entries()) {
    storeProgress({ step: 'relations', done: index, total: groups.length })
    await importRelations(context, entry, top.id, archive)
  }
  storeProgress({ step: 'repositories', done: 0, total: groups.length })
  for (const entry of groups) await importFiles(context, entry, top.id, archive)
}

function count(group: TreeGroup): number {
  return 1 + group.children.reduce((sum, child) => sum + count(child), 0)
}

function createSubgroup(
  userCtx: Ctx,
  parent: Group,
  { name, path, visibility, columns }: TreeGroup,
): Promise<Group> {
  const { shared_runners_setting: _runners, share_with_group_lock: _lock, ...rest } = columns
  const groupVisibility = narrowestOf(visibility, parent.visibility as Visibility)
  return createGroup(userCtx, {
    name,
    path,
    parent_id: parent.id,
    columns: { ...rest, visibility: groupVisibility },
  })
}

async function importRelations(
  { userCtx, now }: FillContext,
  { source, group }: CreatedGroup,
  topId: number,
  archive: UnpackedArchive,
): Promise<void> {
  const folder = join(archive.folder, 'tree', 'groups', String(source.id))
  if (!existsSync(folder)) return
  const owner = { kind: 'group' as const, id: group.id }
  const { failures } = await importTree(now(), {
    owner,
    folder,
    importer: userCtx.actor.id!,
    signal: archive.signal,
  })
  // Failures are shown on the top group.
  if (failures > 0 && group.id !== topId) tx(userCtx.db, () => moveFailures(userCtx.db, group.id, topId))
}

/** Imports avatar and wiki. An error of one does not end the import. */
async function importFiles(
  context: FillContext,
  imported: CreatedGroup,
  topId: number,
  archive: UnpackedArchive,
): Promise<void> {
  await attemptPart(context, topId, 'avatar', archive, () => importAvatar(context, imported, archive))
  await attemptPart(context, topId, 'wiki_repository', archive, () => importWiki(context, imported, archive))
}

/** Runs `work`, and records an error as a failure of the import. */
async function attemptPart(
  { now, userCtx }: FillContext,
  topId: number,
  relation_name: string,
  { signal }: UnpackedArchive,
  work: () => Promise<void>,
): Promise<void> {
  signal.throwIfAborted()
  try {
    await work()
  } catch (error) {
    signal.throwIfAborted()
    userCtx.log.warn({ err: error, group_id: topId }, 'a part of a group could not be imported')
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

async function importAvatar(
  { userCtx }: FillContext,
  { source, group }: CreatedGroup,
  { folder }: UnpackedArchive,
): Promise<void> {
  const [name] = await readdir(join(folder, 'avatar', String(source.id))).catch(() => [] as string[])
  const current = findGroup(userCtx, String(group.id))
  if (name === undefined || !current) return
  const path = join(folder, 'avatar', String(source.id), name)
  const info = await stat(path)
  if (!info.isFile()) return
  const file = { filename: cleanFileName(name), type: '', path, size: info.size, sha256: '' }
  await updateGroup(userCtx, current, {}, file)
}

async function importWiki(
  { now }: FillContext,
  { source, group }: CreatedGroup,
  { folder, signal }: UnpackedArchive,
): Promise<void> {
  const bundle = join(folder, 'repositories', `${source.id}.wiki.bundle`)
  if (!existsSync(bundle)) return
  await fillWiki(now(), { group }, (repo) => fetchBundle(repo, bundle, { signal }))
}
