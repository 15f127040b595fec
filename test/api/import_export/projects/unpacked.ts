import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { unpackArchive } from '../../../../server/domains/import_export/archive/unpack.ts'
import type { TestUser, World } from '../../../support/world.ts'

/** An unpacked archive. */
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

/** Unpacks an archive. */
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

/** Exports a project and returns the archive as a download. */
export async function exported(
  w: World,
  by: TestUser,
  projectId: number,
  params: object = {},
): Promise<Buffer> {
  const begun = await w.as(by).post(`/projects/${projectId}/export`, params)
  if (begun.status !== 202) throw new Error(`The export was refused: ${begun.text}`)
  await w.drain()
  const answer = await fetch(`${w.url}/api/v4/projects/${projectId}/export/download`, {
    headers: { 'private-token': by.token },
  })
  if (answer.status !== 200) throw new Error(`There is no archive: ${await answer.text()}`)
  return Buffer.from(await answer.arrayBuffer())
}
