import { createWriteStream } from 'node:fs'
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Reader } from '../../../../../db/reader.ts'
import { ARCHIVE_REVISION_FILE, ARCHIVE_VERSION_FILE } from '../../../../../lib/aliases.ts'
import type { Group } from '../../../../groups/index.ts'
import { writeArchive, type ArchiveEntry } from '../../../archive/write.ts'
import { attributesOf } from '../../groups.ts'
import { groupRow } from '../../store.ts'
import { RELATIONS } from '../../index.ts'
import type { CodeReader, Relation, Source } from '../../relation.ts'
import type { GroupsTask, GroupsProgress } from './messages.ts'

/** The layout version of archives (spec administration 6.2). Readers accept only this version. */
const LAYOUT = '0.2.4'
const OF_GROUPS: readonly Relation[] = RELATIONS.filter(({ of }) => of.includes('group'))

/** Groups have no code. */
const NO_CODE: CodeReader = {
  diffs: () => {
    throw new Error('Groups have no code.')
  },
  commits: () => {
    throw new Error('Groups have no code.')
  },
}

/** Writes an archive of groups (spec administration 6.8): all of one moment of the database. */
export async function writeGroups(
  task: GroupsTask,
  report: (progress: GroupsProgress) => void,
): Promise<number> {
  const db = new Reader(task.database)
  try {
    db.pin()
    const names = await writeTree(task, db, report)
    db.close()
    return await pack(task, names, report)
  } finally {
    db.close()
  }
}

/** Names of the files that were written. */
async function writeTree(
  { folder, groups, url }: GroupsTask,
  db: Reader,
  report: (progress: GroupsProgress) => void,
): Promise<string[]> {
  const base = 'tree/groups'
  await mkdir(join(folder, base), { recursive: true })
  const names = [`${base}/_all.ndjson`]
  await writeFile(join(folder, names[0]!), '')
  for (const [index, id] of groups.entries()) {
    report({ step: 'relations', done: index, total: groups.length })
    const group = groupRow<Group>(db, id)
    // Deleted since the request.
    if (!group) continue
    await appendFile(join(folder, names[0]!), `${id}\n`)
    names.push(`${base}/${id}.json`)
    await writeFile(join(folder, base, `${id}.json`), JSON.stringify(attributesOf(group)))
    await mkdir(join(folder, base, String(id)))
    const source: Source = {
      db,
      owner: { kind: 'group', id },
      code: NO_CODE,
      includesGroupMembers: true,
      url,
    }
    for (const relation of OF_GROUPS) {
      const name = `${base}/${id}/${relation.name}.ndjson`
      names.push(name)
      await pipeline(Readable.from(linesOf(relation, source)), createWriteStream(join(folder, name)))
    }
  }
  return names
}

async function* linesOf(relation: Relation, source: Source): AsyncGenerator<string> {
  let count = 0
  for await (const record of relation.records(source)) {
    count++
    yield `${JSON.stringify(record)}\n`
  }
  if (count === 0 && relation.single) yield 'null\n'
}

async function pack(task: GroupsTask, names: readonly string[], report: (progress: GroupsProgress) => void) {
  const files = [...names.map((name) => ({ name, file: join(task.folder, name) })), ...task.files]
  const entries: ArchiveEntry[] = [
    { name: 'VERSION', bytes: LAYOUT },
    { name: ARCHIVE_VERSION_FILE, bytes: task.version },
    { name: ARCHIVE_REVISION_FILE, bytes: task.revision },
    ...files,
  ]
  let total = 0
  for (const { file } of files) total += (await stat(file)).size
  let done = 0
  const onBytes = (bytes: number): void => report({ step: 'packing', done: (done += bytes), total })
  const { size } = await writeArchive(task.target, entries, { mtime: new Date(task.now), onBytes })
  return size
}
