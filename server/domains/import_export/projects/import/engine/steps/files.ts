import { existsSync, createReadStream } from 'node:fs'
import { opendir, readdir, stat, readFile, open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'

import { tx } from '../../../../../../db/database.ts'
import { BundleProblem, fetchBundle } from '../../../../../../git/transport/bundle.ts'
import { Failure } from '../../../../../../lib/fail.ts'
import { isOid } from '../../../../../../lib/lfs.ts'
import { runInThread, ThreadError, workerFile } from '../../../../../../threads/thread.ts'
import { adoptUpload } from '../../../../../markdown/index.ts'
import { settingsOf } from '../../../../../settings/index.ts'
import {
  fillSnippet,
  fillSnippetWithFile,
  type SnippetRow,
  hideSnippets,
} from '../../../../../snippets/index.ts'
import { adoptObject, LfsMismatch, cleanFileName, replaceAvatar } from '../../../../../storage/index.ts'
import { updateProjectRow } from '../../../../../projects/index.ts'
import type { UnpackLimits } from '../../../../archive/unpack.ts'
import { LAYOUT_VERSION } from '../../../../archive/write.ts'
import { archivePath } from '../../../../imports/files.ts'
import { ImportFailure } from '../../../../imports/status.ts'
import { textOf, timeOf } from '../../../../relations/checked.ts'
import * as store from '../../store.ts'
import { snippetLinesFile, type SnippetLine } from '../snippet-records.ts'
import { recordOmission, type ArchiveImport } from './empty-project.ts'

const MB = 1024 * 1024

/** Messages of the thread that unpacks an archive. */
export interface UnpackWork {
  readonly task: { readonly file: string; readonly folder: string; readonly limits: UnpackLimits }
  readonly result: void
  readonly report: { readonly done: number; readonly total: number }
}

/** The fields of an import that unpacking needs. */
type Unpacking = Pick<ArchiveImport, 'ctx' | 'folder' | 'signal' | 'report'> & {
  readonly run: Pick<ArchiveImport['run'], 'file'>
}

/** Unpacks the archive into the folder of the import, in a thread. Throws ImportFailure for an invalid archive. */
export async function unpack(archiveImport: Unpacking): Promise<void> {
  const { ctx, run, folder, signal } = archiveImport
  if (run.file === null) throw new ImportFailure('The archive no longer exists.')
  const settings = settingsOf(ctx)
  const limits = {
    maxBytes: settings.max_decompressed_archive_size * MB,
    timeoutMs: settings.decompress_archive_file_timeout * 1000,
  }
  try {
    const task = { file: archivePath(ctx.config, run.file), folder, limits }
    await runInThread<UnpackWork>(workerFile(import.meta.url, '../unpack'), task, {
      signal,
      memoryMb: 256,
      problem: ImportFailure,
      onReport: ({ done, total }) => archiveImport.report('unpack', done, total),
    })
  } catch (error) {
    if (error instanceof ThreadError && error.why === 'ended')
      throw new ImportFailure('The archive could not be unpacked.')
    throw error
  }
  await checkLayout(folder)
}

async function checkLayout(folder: string): Promise<void> {
  const archiveVersion = await readStart(join(folder, 'VERSION')).catch(() => null)
  if (archiveVersion === null)
    throw new ImportFailure('The archive is not a project export: it has no file VERSION.')
  const version = archiveVersion.trim()
  if (version !== LAYOUT_VERSION)
    throw new ImportFailure(`Import version mismatch: Required ${LAYOUT_VERSION} but was ${version}`)
}

/** The first few bytes of a file, whatever its size. */
async function readStart(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

const FILE_NAME = 'snippetfile1.txt'

/**
 * Imports the content of snippets from their bundles, or from the records of older archives (spec administration 6.2).
 * A thread has prepared short lines of the records.
 */
export async function importSnippets(archiveImport: ArchiveImport): Promise<void> {
  const { folder, signal } = archiveImport
  const file = snippetLinesFile(folder)
  if (!existsSync(file)) return
  let done = 0
  for await (const text of createInterface({ input: createReadStream(file) })) {
    signal.throwIfAborted()
    await importSnippet(archiveImport, JSON.parse(text) as SnippetLine)
    archiveImport.report('snippets', ++done)
  }
  hideRestrictedSnippets(archiveImport)
}

/** Makes snippets with a restricted visibility private, as projects are (spec administration 6.5). */
function hideRestrictedSnippets({ ctx, project }: ArchiveImport): void {
  for (const level of settingsOf(ctx).restricted_visibility_levels) hideSnippets(ctx.db, project.id, level)
}

async function importSnippet(archiveImport: ArchiveImport, line: SnippetLine): Promise<void> {
  const row = pendingRow(archiveImport, line)
  if (!row) return
  const { ctx, folder, signal } = archiveImport
  const { bundle } = line
  try {
    if (bundle !== null)
      await fillSnippet(ctx, row, (repo) => fetchBundle(repo, join(folder, 'snippets', bundle), { signal }))
    else await fillSnippetWithFile(ctx, row, await contentOf(folder, line))
  } catch (error) {
    if (!(error instanceof BundleProblem || error instanceof Failure)) throw error
    // The message omits the title, because users who see the import may not have access to the snippet.
    recordOmission(archiveImport, 'snippets', 'The content of a snippet could not be imported.')
    store.deleteRow(ctx.db, 'snippets', row.id)
  }
}

/** The snippet of a record, which has no content yet; undefined for a record that was not imported. */
function pendingRow(
  { ctx, project }: ArchiveImport,
  { title, created_at }: SnippetLine,
): SnippetRow | undefined {
  try {
    const createdAt = timeOf({ created_at }, 'created_at') ?? ctx.now
    return store.pendingSnippet(ctx.db, project.id, { title: textOf({ title }, 'title'), createdAt })
  } catch {
    return undefined
  }
}

async function contentOf(folder: string, line: SnippetLine): Promise<{ path: string; content: Buffer }> {
  const name = line.file_name?.trim() ?? ''
  const path = name === '' || name.length > 255 ? FILE_NAME : name
  return {
    path,
    content: line.content === null ? Buffer.from('\n') : await readFile(join(folder, line.content)),
  }
}

/** An LFS object in `lfs-objects.json`. */
const ENTRY = /"([0-9a-f]{64})"\s*:\s*\[([\d,\s]{0,64})\]/g
/**
 * Number of characters at the end of a chunk that are read again with the next one, because an entry may span two
 * chunks.
 */
const MAX_ENTRY = 256
const REPOSITORY_ONLY = '0'

/**
 * The repositories that refer to each LFS object (spec administration 6.2): 0 the repository, 1 the wiki, 2 designs.
 * Leaves out objects to which only the repository refers. Reads chunk by chunk, because the file is untrusted and may
 * be large.
 */
export async function lfsObjectTypes(file: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const result = new Map<string, readonly number[]>()
  if (!existsSync(file)) return result
  const shared = new Map<string, readonly number[]>()
  let rest = ''
  const chunks = createReadStream(file, {
    encoding: 'latin1',
    highWaterMark: 64 * 1024,
  }) as AsyncIterable<string>
  for await (const chunk of chunks) {
    const text = rest + chunk
    let end = 0
    for (const { 0: match, 1: oid, 2: list, index } of text.matchAll(ENTRY)) {
      end = index + match.length
      const types = typesIn(list!)
      if (types === REPOSITORY_ONLY || types === '') continue
      if (!shared.has(types)) shared.set(types, types.split(',').map(Number))
      result.set(oid!, shared.get(types)!)
    }
    rest = text.slice(Math.max(end, text.length - MAX_ENTRY))
  }
  return result
}

function typesIn(list: string): string {
  return ['0', '1', '2'].filter((type) => list.split(',').some((part) => part.trim() === type)).join(',')
}

/** Imports the avatar of the project. Records a failure for a file that is no picture. */
export async function importAvatar(archiveImport: ArchiveImport): Promise<void> {
  const { ctx, project, folder } = archiveImport
  const [name] = await readdir(join(folder, 'avatar')).catch(() => [])
  if (name === undefined) return
  const path = join(folder, 'avatar', name)
  const stats = await stat(path)
  if (!stats.isFile()) return
  try {
    const file = { filename: name, type: 'application/octet-stream', path, size: stats.size, sha256: '' }
    await replaceAvatar(ctx, 'project', project.id, file, (avatar) =>
      tx(ctx.db, () => updateProjectRow(ctx.db, project.id, { avatar })),
    )
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    recordOmission(archiveImport, 'avatar', 'The avatar is not a picture of a known format, or too big.')
  }
}

/** Imports uploads with their secrets, so that links in texts stay valid. */
export async function importUploads(archiveImport: ArchiveImport): Promise<void> {
  const { ctx, project, folder, importer, signal } = archiveImport
  const top = join(folder, 'uploads')
  if (!existsSync(top)) return
  let done = 0
  for await (const entry of await opendir(top)) {
    signal.throwIfAborted()
    if (!entry.isDirectory() || !/^[0-9a-f]{32}$/.test(entry.name)) continue
    for (const name of await readdir(join(top, entry.name))) {
      const path = join(top, entry.name, name)
      if (!(await stat(path)).isFile()) continue
      await adoptUpload(ctx, {
        project_id: project.id,
        secret: entry.name,
        file_name: cleanFileName(basename(name)),
        path,
        uploaded_by_id: importer,
      })
      archiveImport.report('uploads', ++done)
    }
  }
}

/** Imports LFS objects. Records a failure for an object that does not match its ID. */
export async function importLfsObjects(archiveImport: ArchiveImport): Promise<void> {
  const { ctx, project, folder, signal } = archiveImport
  const top = join(folder, 'lfs-objects')
  if (!existsSync(top)) return
  const types = await lfsObjectTypes(join(folder, 'lfs-objects.json'))
  let done = 0
  for await (const entry of await opendir(top)) {
    signal.throwIfAborted()
    if (!entry.isFile() || !isOid(entry.name)) continue
    try {
      await adoptObject(ctx, project.id, entry.name, join(top, entry.name), types.get(entry.name) ?? [0])
    } catch (error) {
      if (!(error instanceof LfsMismatch)) throw error
      recordOmission(archiveImport, 'lfs_objects', error.message)
    }
    archiveImport.report('lfs_objects', ++done)
  }
}
