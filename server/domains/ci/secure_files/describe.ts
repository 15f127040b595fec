import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { SecureFileRead } from '../events.ts'
import { extensionOf } from './entity.ts'
import type { Description } from './parse/certificate.ts'
import * as store from './store.ts'
import type { SecureFileRow } from './store.ts'
import { dataPaths, type Config } from '../../../config.ts'
import { moveDurably, createDurableFolder } from '../../../lib/files/durable-file.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../../lib/files/owner-folders.ts'
import { SEALED_FILES } from '../../../lib/security/sealed-columns.ts'
import { addDays } from '../../../lib/clock.ts'

type Parser = (content: Buffer) => Description

/** Parsers by file extension, loaded with the first such file, because they are rarely needed. */
const PARSERS: Readonly<Record<string, () => Promise<Parser>>> = {
  cer: async () => (await import('./parse/certificate.ts')).describeCertificate,
  p12: async () => (await import('./parse/p12.ts')).describeP12,
  mobileprovision: async () => (await import('./parse/profile.ts')).describeProfile,
}

/**
 * The maximum length of the metadata of one file in characters of JSON. A profile for a thousand devices takes a
 * twentieth.
 */
const MAX_METADATA = 1024 * 1024
/** The maximum size of a file to parse in bytes. Real files have a tenth, and parsing blocks the event loop. */
const MAX_CONTENT = 1024 * 1024

function parserOf(name: string): (() => Promise<Parser>) | undefined {
  const extension = extensionOf(name)
  return extension !== undefined && Object.hasOwn(PARSERS, extension) ? PARSERS[extension] : undefined
}

/** True for the name of a file that can be parsed. */
export function isParsed(name: string): boolean {
  return parserOf(name) !== undefined
}

/**
 * Stores the metadata of a certificate or profile. If it cannot be parsed, this is logged and the file stays without
 * metadata.
 */
export async function describe(ctx: Ctx, id: number): Promise<void> {
  const row = store.byId(ctx.db, id)
  const load = row && parserOf(row.name)
  if (!row || !load || row.size > MAX_CONTENT) return
  const content = await secureFileContent(ctx, row)
  const parse = await load()
  const description = attempt(() => parse(content))
  if (
    !description ||
    JSON.stringify(description).length > MAX_METADATA ||
    !isMoment(description.expires_at)
  ) {
    ctx.log.warn({ secure_file_id: id }, 'a secure file does not have the format of its extension')
    return
  }
  tx(ctx.db, () => {
    if (!store.describe(ctx.db, id, { metadata: description, expires_at: description.expires_at })) return
    publish(ctx, SecureFileRead, { project_id: row.project_id, secure_file_id: id, actor_id: null })
  })
}

/** The wire format has years of four digits only. */
function isMoment(time: string | null): boolean {
  return time === null || time.length === 24
}

/** Returns undefined on failure. The error is not logged, because it may quote secret content. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

type StoredFile = Pick<SecureFileRow, 'project_id' | 'stored_as'>

function folderOf(config: Config, projectId: number): string {
  return join(dataPaths(config.dataDir).secureFiles, String(projectId))
}

function pathOf(config: Config, { project_id, stored_as }: StoredFile): string {
  return join(folderOf(config, project_id), stored_as)
}

/** A sealed file opens under its own name only, so that two cannot be exchanged. */
function purposeOf({ stored_as }: StoredFile) {
  return `${SEALED_FILES}:${stored_as}` as const
}

/**
 * Writes the content of a file, sealed. When this returns, the file is synced to disk. Before that, no file has this
 * name.
 */
export async function writeContent(ctx: Ctx, file: StoredFile, content: Buffer): Promise<void> {
  const path = pathOf(ctx.config, file)
  await createDurableFolder(dirname(path))
  await writeFile(`${path}.part`, ctx.secrets.seal(content, purposeOf(file)), { mode: 0o600 })
  await moveDurably(`${path}.part`, path)
}

/** The content of a file as it was uploaded. Throws if it is missing or cannot be decrypted. */
export async function secureFileContent(
  ctx: Pick<Ctx, 'config' | 'secrets'>,
  file: StoredFile,
): Promise<Buffer> {
  return ctx.secrets.open(await readFile(pathOf(ctx.config, file), 'utf8'), purposeOf(file))
}

/** Removes the content of a file, if it exists. */
export async function removeContent({ config }: Pick<Ctx, 'config'>, file: StoredFile): Promise<void> {
  const path = pathOf(config, file)
  await removalsOf(config).pass(async () => {
    for (const target of [path, `${path}.part`]) await rm(target, { force: true })
  })
}

/** Removes the files of a deleted project. */
export async function removeFolder({ config }: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  const folder = folderOf(config, projectId)
  await removalsOf(config).pass(() => rm(folder, { recursive: true, force: true }))
}

/** The projects that have a folder, including deleted ones. */
export async function foldersOnDisk({ config }: Pick<Ctx, 'config'>): Promise<number[]> {
  return ownerFolders(dataPaths(config.dataDir).secureFiles)
}

/** Names in the folder of a project that were written before a moment. */
export async function writtenBefore(
  { config }: Pick<Ctx, 'config'>,
  projectId: number,
  moment: string,
): Promise<string[]> {
  return namesWrittenBefore(folderOf(config, projectId), moment)
}

/** Removes the folder of a project if nothing is in it. */
export async function removeEmptyFolder({ config }: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  await removeIfEmpty(folderOf(config, projectId))
}

/** Removes content without a row, except that of current uploads. A cron task. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  for (const projectId of await foldersOnDisk(ctx)) {
    const names = await writtenBefore(ctx, projectId, addDays(ctx.now, -1))
    for (const stored_as of store.unknownOf(ctx.db, projectId, names))
      await removeContent(ctx, { project_id: projectId, stored_as })
    await removeEmptyFolder(ctx, projectId)
  }
}
