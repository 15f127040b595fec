import { open } from 'node:fs/promises'
import { join } from 'node:path'

import { runInThread, ThreadError, workerFile } from '../../../../../../threads/thread.ts'
import type { UnpackLimits } from '../../../../archive/unpack.ts'
import { archivePath } from '../../../../imports/files.ts'
import { ImportFailure } from '../../../../imports/reasons.ts'
import { settingsOf } from '../../../../../settings/index.ts'
import type { Filling } from './filling.ts'

/** The layout version that archives must have (spec administration 6.2). */
const LAYOUT = '0.2.4'
const MB = 1024 * 1024

/** What the thread does. */
export interface UnpackWork {
  readonly task: { readonly file: string; readonly folder: string; readonly limits: UnpackLimits }
  readonly result: void
  readonly report: { readonly done: number; readonly total: number }
}

/** The archive and the destination folder. */
export type Unpacking = Pick<Filling, 'ctx' | 'folder' | 'signal' | 'report'> & {
  readonly run: Pick<Filling['run'], 'file'>
}

/** Unpacks the archive into the folder of the import, in a thread. Throws ImportFailure for an invalid archive. */
export async function unpack(filling: Unpacking): Promise<void> {
  const { ctx, run, folder, signal } = filling
  if (run.file === null) throw new ImportFailure('The archive is not there any more.')
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
      onReport: ({ done, total }) => filling.report('unpack', done, total),
    })
  } catch (error) {
    if (error instanceof ThreadError && error.why === 'ended')
      throw new ImportFailure('The archive could not be unpacked.')
    throw error
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
