import { createReadStream, existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { SERVICE_NAME } from '../../../../lib/aliases.ts'
import { ArchiveProblem } from '../../archive/problem.ts'
import { groupOf, type ImportedGroup } from '../../relations/groups.ts'
import { UnusableRecord, type Fields } from '../../relations/relation.ts'

/** The layout of archives (spec administration 6.2). */
const LAYOUT = '0.2.4'
/** More groups than any archive has. */
const MAX_GROUPS = 20_000
const MAX_DEPTH = 20
const MAX_ATTRIBUTES = 1024 * 1024

/** A group of an archive with its subgroups. */
export interface TreeGroup extends ImportedGroup {
  readonly below: TreeGroup[]
}

/**
 * Reads the groups of an unpacked archive: the one at the top, with its subgroups. Throws ArchiveProblem for anything but the
 * archive of a group.
 */
export async function readTree(folder: string): Promise<TreeGroup> {
  await insistOnLayout(folder)
  const ids = await idsOf(join(folder, 'tree', 'groups', '_all.ndjson'))
  const groups = new Map<number, TreeGroup>()
  let top: TreeGroup | undefined
  for (const id of ids) {
    const found = { ...(await attributesIn(join(folder, 'tree', 'groups', `${id}.json`))), id, below: [] }
    if (groups.has(id)) throw new ArchiveProblem('The archive has the same group twice.')
    const above = found.parent_id === null ? undefined : groups.get(found.parent_id)
    groups.set(id, found)
    if (above) above.below.push(found)
    // The parent of an exported subgroup is not in its archive.
    else if (!top) top = found
    else throw new ArchiveProblem('The archive has a group without its parent.')
  }
  if (!top) throw new ArchiveProblem('The archive has no group.')
  insistOnDepth(top, 0)
  return top
}

async function insistOnLayout(folder: string): Promise<void> {
  const found = (await readSmall(join(folder, 'VERSION')).catch(() => null))?.trim()
  if (found === undefined || found === null || found === '')
    throw new ArchiveProblem('The archive does not say which layout it has; it is no export.')
  if (found !== LAYOUT)
    throw new ArchiveProblem(`Import version mismatch: Required ${LAYOUT} but was ${found.slice(0, 20)}`)
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
  if ((await stat(file)).size > MAX_ATTRIBUTES)
    throw new ArchiveProblem('The attributes of a group in the archive are too large.')
  return readFile(file, 'utf8')
}

function insistOnDepth(group: TreeGroup, depth: number): void {
  if (depth > MAX_DEPTH) throw new ArchiveProblem('The groups of the archive lie too deep in each other.')
  for (const one of group.below) insistOnDepth(one, depth + 1)
}
