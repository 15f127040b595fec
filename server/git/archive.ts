import { Readable } from 'node:stream'
import { git, option, path, sha } from './args.ts'
import { open } from './run.ts'
import type { GitStream } from './run.ts'
import type { Repo } from './types.ts'

/** Formats that git writes by itself. */
export type ArchiveFormat = 'tar' | 'tar.gz' | 'zip'

export interface ArchiveOptions {
  readonly format: ArchiveFormat
  /** Folder that everything in the archive lies in; default none. */
  readonly prefix?: string
  /** Only this file or folder; it must exist in the commit. Names in the archive stay complete. */
  readonly path?: string
  readonly signal?: AbortSignal
}

/** Other programs for compression could be set up; this one is part of git, also where there is no gzip. */
const GZIP = [['tar.tar.gz.command', 'git archive gzip']] as const

/**
 * The files of a commit (full id) as an archive, made while it is read. The stream fails where git fails; destroying it
 * ends the process.
 */
export async function openArchive(repo: Repo, commit: string, options: ArchiveOptions): Promise<Readable> {
  const prefix = options.prefix ? option('--prefix', `${options.prefix}/`) : null
  const paths = options.path ? [path(options.path)] : []
  const args = git`archive ${option('--format', options.format)} ${prefix} ${sha(commit)} -- ${paths}`
  const limits = { place: 'transfer', config: GZIP, signal: options.signal } as const
  const stream = await open(repo, 'archive', args, limits)
  const whole = Readable.from(toItsEnd(stream), { objectMode: false })
  whole.once('close', () => stream.stop())
  return whole
}

/** What a process writes, and its failure where it does not end well: half an archive must not look like a whole one. */
async function* toItsEnd(stream: GitStream): AsyncGenerator<Buffer> {
  yield* stream.stdout as AsyncIterable<Buffer>
  await stream.done
}
