import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { archivePath } from '../../../../runs/files.ts'
import { ImportFailure } from '../../../../imports/reasons.ts'
import { settingsOf } from '../../../../../settings/index.ts'
import type { Filling } from './filling.ts'

/** The layout that archives have to have (spec administration 6.2). */
const LAYOUT = '0.2.4'
const MB = 1024 * 1024

type Said =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done' }
  | { kind: 'failed'; message: string; stack: string; expected: boolean }

/** What is to be unpacked, and where. */
export type Unpacking = Pick<Filling, 'ctx' | 'folder' | 'signal' | 'tell'> & {
  readonly run: Pick<Filling['run'], 'file'>
}

/** Unpacks the archive into the folder of the import, in a thread. Throws ImportFailure for what is wrong with it. */
export async function unpack(filling: Unpacking): Promise<void> {
  const { ctx, run, folder, signal } = filling
  if (run.file === null) throw new ImportFailure('The archive is not there any more.')
  const settings = settingsOf(ctx)
  const limits = {
    maxBytes: settings.max_decompressed_archive_size * MB,
    timeoutMs: settings.decompress_archive_file_timeout * 1000,
  }
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  // Beside the bundle once it is built; a folder above in the sources.
  const place = extension === 'ts' ? '../unpack.worker.ts' : './unpack.worker.js'
  const worker = new Worker(new URL(place, import.meta.url), {
    workerData: { file: archivePath(ctx.config, run.file), folder, limits },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  worker.unref()
  const over = Promise.withResolvers<void>()
  worker.on('message', (said: Said) => {
    if (said.kind === 'progress') filling.tell('unpack', said.done, said.total)
    else if (said.kind === 'done') over.resolve()
    else over.reject(said.expected ? new ImportFailure(said.message) : new Error(said.stack))
  })
  worker.on('error', over.reject)
  worker.on('exit', () => over.reject(new ImportFailure('The archive could not be unpacked.')))
  const end = (): void => over.reject(signal.reason as Error)
  signal.addEventListener('abort', end, { once: true })
  try {
    await over.promise
  } finally {
    signal.removeEventListener('abort', end)
    await worker.terminate()
  }
  await insistOnLayout(folder)
}

async function insistOnLayout(folder: string): Promise<void> {
  const found = await firstOf(join(folder, 'VERSION')).catch(() => null)
  if (found === null) throw new ImportFailure('The archive is not one of a project: it has no file VERSION.')
  const version = found.trim()
  if (version !== LAYOUT)
    throw new ImportFailure(`Import version mismatch: Required ${LAYOUT} but was ${version}`)
}

/** The first few bytes of a file, whatever its size. */
async function firstOf(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
