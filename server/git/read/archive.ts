import { Readable } from 'node:stream'
import { git, option, path, sha } from '../args.ts'
import { open } from '../process/run.ts'
import type { Config, GitStream } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** Formats that git writes by itself. */
export type ArchiveFormat = 'tar' | 'tar.gz' | 'zip'

export interface ArchiveOptions {
  readonly format: ArchiveFormat
  /** Folder that contains everything in the archive; default none. */
  readonly prefix?: string
  /** Only this file or folder; it must exist in the commit. Names in the archive stay complete. */
  readonly path?: string
  /** LFS objects that replace their pointers. */
  readonly largeFiles?: LargeFiles | undefined
  readonly signal?: AbortSignal
}

/** The LFS objects that may be in the archive. */
export interface LargeFiles {
  /** Folder with `ab/cd/<rest of the digest>`. */
  readonly folder: string
  /** A file with one digest per line. Pointers to other objects stay pointers. */
  readonly list: string
}

// Git pipes every file with the LFS attribute through this script. Only pointers are replaced.
const SMUDGE = [
  'copy="$DESKFORGE_LFS_LIST.$$"',
  'cat >"$copy"',
  'oid=$(head -c 1024 "$copy" | LC_ALL=C sed -n "s/^oid sha256:\\([0-9a-f]\\{64\\}\\)$/\\1/p" 2>/dev/null | head -n 1)',
  'rest=${oid#????}; two=${oid%"$rest"}; file="$DESKFORGE_LFS_FOLDER/${two%??}/${two#??}/$rest"',
  'if [ -n "$oid" ] && grep -qx "$oid" "$DESKFORGE_LFS_LIST" && [ -f "$file" ]; then cat "$file"',
  'else cat "$copy"; fi',
  'rm -f "$copy"',
].join('\n')

/** Uses git's own gzip, because the machine may not have the program. */
const GZIP = [['tar.tar.gz.command', 'git archive gzip']] as const

/**
 * Streams the files of a commit (full id) as an archive. The stream fails where git fails; destroying it ends the
 * process.
 */
export async function openArchive(repo: Repo, commit: string, options: ArchiveOptions): Promise<Readable> {
  const prefix = options.prefix ? option('--prefix', `${options.prefix}/`) : null
  const paths = options.path ? [path(options.path)] : []
  const args = git`archive ${option('--format', options.format)} ${prefix} ${sha(commit)} -- ${paths}`
  const limits = { pool: 'transfer', signal: options.signal, ...setup(options.largeFiles) } as const
  const stream = await open(repo, 'archive', args, limits)
  const content = Readable.from(checkedOutput(stream), { objectMode: false })
  content.once('close', () => stream.stop())
  return content
}

/** Fails when the process fails, so that half an archive does not look complete. */
async function* checkedOutput(stream: GitStream): AsyncGenerator<Buffer> {
  yield* stream.stdout as AsyncIterable<Buffer>
  await stream.done
}

function setup(large: LargeFiles | undefined) {
  if (!large) return { config: GZIP }
  return {
    config: [...GZIP, ['filter.lfs.smudge', SMUDGE]] as Config,
    env: { DESKFORGE_LFS_FOLDER: large.folder, DESKFORGE_LFS_LIST: large.list },
  }
}
