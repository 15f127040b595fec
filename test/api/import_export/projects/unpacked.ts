import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { unpackArchive } from '../../../../server/domains/import_export/archive/unpack.ts'
import type { TestUser, World } from '../../../support/world.ts'

/** An archive, laid open. */
export interface Unpacked {
  readonly folder: string
  /** Names of all files, sorted. */
  readonly names: string[]
  text(name: string): string
  json(name: string): Record<string, unknown>
  /** The records of a relation of the project. */
  records(relation: string): Record<string, unknown>[]
  remove(): void
}

/** Lays an archive open. */
export async function unpacked(archive: Buffer): Promise<Unpacked> {
  const top = mkdtempSync(join(tmpdir(), 'unpacked-'))
  const folder = join(top, 'content')
  writeFileSync(join(top, 'archive'), archive)
  await unpackArchive(join(top, 'archive'), folder, { maxBytes: 0, timeoutMs: 0 })
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
  return {
    folder,
    names,
    text,
    json: (name) => JSON.parse(text(name)) as Record<string, unknown>,
    records: (relation) =>
      text(`tree/project/${relation}.ndjson`)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((record) => record !== null),
    remove: () => rmSync(top, { recursive: true, force: true }),
  }
}

/** Has a project exported and gives the archive as it is downloaded. */
export async function exported(
  w: World,
  by: TestUser,
  projectId: number,
  given: object = {},
): Promise<Buffer> {
  const asked = await w.as(by).post(`/projects/${projectId}/export`, given)
  if (asked.status !== 202) throw new Error(`The export was refused: ${asked.text}`)
  await w.drain()
  const answer = await fetch(`${w.url}/api/v4/projects/${projectId}/export/download`, {
    headers: { 'private-token': by.token },
  })
  if (answer.status !== 200) throw new Error(`There is no archive: ${await answer.text()}`)
  return Buffer.from(await answer.arrayBuffer())
}
