import { Readable } from 'node:stream'
import { git, option, path, sha } from '../args.ts'
import { open } from '../process/run.ts'
import type { Config, GitStream } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The formats that git writes itself. */
export type ArchiveFormat = 'tar' | 'tar.gz' | 'zip'

export interface ArchiveOptions {
  readonly format: ArchiveFormat
  /** The folder in the archive that contains all files; by default there is none. */
  readonly prefix?: string
  /** The file or folder to archive, by default all. It must exist in the commit. Paths in the archive stay complete. */
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

/** The gzip of git is used, because the machine may not have the program. */
const GZIP = [['tar.tar.gz.command', 'git archive gzip']] as const

/**
 * Streams the files of a commit (full id) as an archive. The stream fails when git fails. Destroying it ends the process.
 */
export async function openArchive(repo: Repo, commit: string, options: ArchiveOptions): Promise<Readable> {
  const prefix = options.prefix ? option('--prefix', `${options.prefix}/`) : null
  const paths = options.path ? [path(options.path)] : []
  const args = git`archive ${option('--format', options.format)} ${prefix} ${sha(commit)} -- ${paths}`
  const runOptions = {
    pool: 'transfer',
    signal: options.signal,
    ...filterOptions(options.largeFiles),
  } as const
  const stream = await open(repo, 'archive', args, runOptions)
  const content = Readable.from(checkedOutput(stream), { objectMode: false })
  content.once('close', () => stream.stop())
  return content
}

/** Yields the output, and fails when the process fails, so that an incomplete archive does not look complete. */
async function* checkedOutput(stream: GitStream): AsyncGenerator<Buffer> {
  yield* stream.stdout as AsyncIterable<Buffer>
  await stream.done
}

function filterOptions(largeFiles: LargeFiles | undefined) {
  if (!largeFiles) return { config: GZIP }
  return {
    config: [...GZIP, ['filter.lfs.smudge', SMUDGE]] as Config,
    env: { DESKFORGE_LFS_FOLDER: largeFiles.folder, DESKFORGE_LFS_LIST: largeFiles.list },
  }
}
