import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { SecureFileRead } from '../events.ts'
import type { Description } from './parse/certificate.ts'
import * as store from './store.ts'
import type { SecureFileRow } from './store.ts'
import { dataPaths, type Config } from '../../../config.ts'
import { moveDurably, createDurableFolder } from '../../../lib/files/durable-file.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../../lib/files/folders.ts'
import { SEALED_FILES } from '../../../lib/security/sealed-columns.ts'
import { addDays } from '../../../lib/clock.ts'

type Parser = (content: Buffer) => Description

/** The parsers by file extension. They are loaded when they are first needed, which is rare. */
const PARSERS: Readonly<Record<string, () => Promise<Parser>>> = {
  cer: async () => (await import('./parse/certificate.ts')).describeCertificate,
  p12: async () => (await import('./parse/p12.ts')).describeP12,
  mobileprovision: async () => (await import('./parse/profile.ts')).describeProfile,
}

/**
 * The maximum length of the metadata of a file in characters of JSON. The profile of a thousand devices has a twentieth
 * of it.
 */
const MAX_METADATA = 1024 * 1024
/** The maximum size in bytes of a file to parse, because parsing blocks the event loop. Usual files have a tenth of it. */
const MAX_CONTENT = 1024 * 1024

function parserOf(name: string): (() => Promise<Parser>) | undefined {
  const extension = extensionOf(name)
  return extension !== undefined && Object.hasOwn(PARSERS, extension) ? PARSERS[extension] : undefined
}

/** Whether there is a parser for a file with this name. */
export function hasParser(name: string): boolean {
  return parserOf(name) !== undefined
}

/**
 * Stores the metadata of a certificate or profile. A file that cannot be parsed stays without metadata, and a warning is
 * logged.
 */
export async function readMetadata(ctx: Ctx, id: number): Promise<void> {
  const row = store.byId(ctx.db, id)
  const load = row && parserOf(row.name)
  if (!row || !load || row.size > MAX_CONTENT) return
  const content = await secureFileContent(ctx, row)
  const parse = await load()
  const description = attempt(() => parse(content))
  if (
    !description ||
    JSON.stringify(description).length > MAX_METADATA ||
    !hasFourDigitYear(description.expires_at)
  ) {
    ctx.log.warn({ secure_file_id: id }, 'a secure file does not have the format of its extension')
    return
  }
  tx(ctx.db, () => {
    if (!store.setMetadata(ctx.db, id, { metadata: description, expires_at: description.expires_at })) return
    publish(ctx, SecureFileRead, { project_id: row.project_id, secure_file_id: id, actor_id: null })
  })
}

/** Whether a time is null or has a year of four digits, as the API requires. */
function hasFourDigitYear(time: string | null): boolean {
  return time === null || time.length === 24
}

/** Returns the result of `parse`, or undefined after an error. The error is not logged, as it may quote secret content. */
function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse()
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

/** The purpose with which the content is encrypted. It contains the stored name, so that two files cannot be swapped. */
function purposeOf({ stored_as }: StoredFile) {
  return `${SEALED_FILES}:${stored_as}` as const
}

/**
 * Encrypts and writes the content of a file. Resolves when the file is safely on disk. A file with this name is always
 * complete.
 */
export async function writeContent(ctx: Ctx, file: StoredFile, content: Buffer): Promise<void> {
  const path = pathOf(ctx.config, file)
  await createDurableFolder(dirname(path))
  await writeFile(`${path}.part`, ctx.secrets.seal(content, purposeOf(file)), { mode: 0o600 })
  await moveDurably(`${path}.part`, path)
}

/** Returns the decrypted content of a file. Throws if it is missing or cannot be decrypted. */
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

/** The IDs of all projects with a folder, including deleted projects. */
export async function foldersOnDisk({ config }: Pick<Ctx, 'config'>): Promise<number[]> {
  return ownerFolders(dataPaths(config.dataDir).secureFiles)
}

/** The names of the files in the folder of a project that are older than the given time. */
export async function filesWrittenBefore(
  { config }: Pick<Ctx, 'config'>,
  projectId: number,
  time: string,
): Promise<string[]> {
  return namesWrittenBefore(folderOf(config, projectId), time)
}

/** Removes the folder of a project if it is empty. */
export async function removeEmptyFolder({ config }: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  await removeIfEmpty(folderOf(config, projectId))
}

/** Removes files without a row. Files of the last day are kept, because an upload may still be running. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  for (const projectId of await foldersOnDisk(ctx)) {
    const names = await filesWrittenBefore(ctx, projectId, addDays(ctx.now, -1))
    for (const stored_as of store.unreferencedNames(ctx.db, projectId, names))
      await removeContent(ctx, { project_id: projectId, stored_as })
    await removeEmptyFolder(ctx, projectId)
  }
}

/** The file extension as it is written (spec ci 6). Undefined if there is none. */
export function extensionOf(name: string): string | undefined {
  return /[^/]\.([^./]+)$/.exec(name)?.[1]
}
