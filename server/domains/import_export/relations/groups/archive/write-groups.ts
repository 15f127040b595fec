import { createWriteStream } from 'node:fs'
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Reader } from '../../../../../db/reader.ts'
import { ARCHIVE_REVISION_FILE, ARCHIVE_VERSION_FILE } from '../../../../../lib/aliases.ts'
import type { Group } from '../../../../groups/index.ts'
import { LAYOUT_VERSION, writeArchive, type ArchiveEntry } from '../../../archive/write.ts'
import { attributesOf } from '../../groups.ts'
import { groupRow } from '../../store.ts'
import { RELATIONS } from '../../index.ts'
import type { CodeReader, Relation, Source } from '../../relation.ts'
import type { GroupsTask, GroupsProgress } from './messages.ts'

const GROUP_RELATIONS: readonly Relation[] = RELATIONS.filter(({ ownerKinds }) =>
  ownerKinds.includes('group'),
)

/** The reader of a repository, which groups do not have. */
const NO_REPOSITORY: CodeReader = {
  diffs: () => {
    throw new Error('Groups have no repository.')
  },
  commits: () => {
    throw new Error('Groups have no repository.')
  },
}

/**
 * Writes an archive of groups (spec administration 6.8) from one snapshot of the database. Returns the size of the
 * archive.
 */
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

/** Writes the tree of the archive. Returns the names of the written files. */
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
    // The group was deleted in the meantime.
    if (!group) continue
    await appendFile(join(folder, names[0]!), `${id}\n`)
    names.push(`${base}/${id}.json`)
    await writeFile(join(folder, base, `${id}.json`), JSON.stringify(attributesOf(group)))
    await mkdir(join(folder, base, String(id)))
    const source: Source = {
      db,
      owner: { kind: 'group', id },
      code: NO_REPOSITORY,
      includesGroupMembers: true,
      url,
    }
    for (const relation of GROUP_RELATIONS) {
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
    { name: 'VERSION', bytes: LAYOUT_VERSION },
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
