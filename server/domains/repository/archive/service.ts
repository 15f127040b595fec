import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { openArchive, type ArchiveFormat, type LargeFiles } from '../../../git/read/archive.ts'
import { checkFolder } from '../../../git/names.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { findEntry } from '../../../git/read/tree.ts'
import { notFound } from '../../../lib/fail.ts'
import { isLfsEnabled, objectsOf } from '../../storage/index.ts'
import type { Project } from '../../projects/index.ts'
import { countDownload } from '../service.ts'
import { inRepository } from '../../projects/index.ts'
import { Bzip2 } from './bzip2.ts'

interface ArchiveKind {
  readonly extension: string
  readonly type: string
  readonly git: ArchiveFormat
  readonly bzip2?: boolean
}

const GZIP: ArchiveKind = { extension: 'tar.gz', type: 'application/octet-stream', git: 'tar.gz' }
// Git cannot write this archive format, and Windows has no program for it.
const BZIP2: ArchiveKind = { extension: 'tar.bz2', type: 'application/octet-stream', git: 'tar', bzip2: true }

/** The formats by their names (spec core 4.1). */
const ARCHIVE_KINDS = {
  'tar.gz': GZIP,
  tgz: GZIP,
  gz: GZIP,
  'tar.bz2': BZIP2,
  tbz: BZIP2,
  tbz2: BZIP2,
  tb2: BZIP2,
  bz2: BZIP2,
  tar: { extension: 'tar', type: 'application/octet-stream', git: 'tar' },
  zip: { extension: 'zip', type: 'application/zip', git: 'zip' },
} as const satisfies Record<string, ArchiveKind>

/** The names of the formats, the default first. */
export const FORMATS = Object.keys(ARCHIVE_KINDS)

/** The options of a requested archive. */
export interface ArchiveQuery {
  /** Branch, tag or commit id; the default branch if absent. */
  readonly sha?: string | undefined
  readonly path?: string | undefined
  readonly format: string
  /** False for an archive with LFS pointers instead of the files. */
  readonly include_lfs_blobs?: boolean | undefined
  /** The file name without extension; by default it contains the commit. */
  readonly name?: string | undefined
}

/** An archive that is ready to be written. */
export interface Archive {
  readonly file_name: string
  readonly type: string
  /** The ETag, which changes with the content. */
  readonly etag: string
  open(signal: AbortSignal): Promise<Readable>
}

/**
 * Returns the files of a commit as an archive. Throws 404 for an unknown ref or path. The format must be one of
 * FORMATS.
 */
export function findArchive(ctx: Ctx, project: Project, query: ArchiveQuery): Promise<Archive> {
  countDownload(ctx, project.id)
  return inRepository(ctx, project, async (repo) => {
    const kind: ArchiveKind = ARCHIVE_KINDS[query.format as keyof typeof ARCHIVE_KINDS]
    const commit = await resolveCommit(repo, query.sha || `refs/heads/${project.default_branch}`)
    if (commit === null) throw notFound('File')
    const path = checkFolder(query.path ?? '')
    if (path !== '' && (await findEntry(repo, commit, path)) === null) throw notFound('File')
    const ref = query.sha || project.default_branch
    const withLfs = query.include_lfs_blobs !== false && hasLargeFiles(ctx, project)
    const name = query.name ?? nameOf(project.path, ref, commit, path)
    return {
      file_name: `${name}.${kind.extension}`,
      type: kind.type,
      etag: `"${commit}-${kind.extension}${withLfs ? '-lfs' : ''}-${Buffer.from(`${name}/${path}`).toString('base64url')}"`,
      open: async (signal) => {
        const largeFiles = withLfs ? await listLargeFiles(ctx, project) : undefined
        const options = { format: kind.git, prefix: name, path, signal, largeFiles }
        const stream = await openArchive(repo, commit, options)
        if (largeFiles) stream.once('close', () => void rm(largeFiles.list, { force: true }))
        return kind.bzip2 ? bzip2Of(ctx).compress(stream) : stream
      },
    }
  })
}

const bzip2Of = (ctx: Ctx): Bzip2 => ctx.db.instance('repository.bzip2', () => new Bzip2())

/**
 * Returns `<project>-<ref>-<id>`, followed by the requested folder if there is one. It is also the name of the top folder
 * in the archive.
 */
function nameOf(project: string, ref: string, commit: string, path: string): string {
  const parts = [project, ref, commit, ...(path === '' ? [] : [path])]
  return parts.map((part) => part.replaceAll('/', '-')).join('-')
}

function hasLargeFiles(ctx: Ctx, project: Project): boolean {
  return project.lfs_objects_size > 0 && isLfsEnabled(ctx, project)
}

/** Writes a list of the LFS objects that the archive may contain, which are those of the project's code. */
async function listLargeFiles({ db, config, random }: Ctx, { id }: Project): Promise<LargeFiles> {
  const { tmp, lfs: folder } = dataPaths(config.dataDir)
  const list = join(tmp, `lfs-list-${random.token(20)}`)
  const oids = objectsOf(db, id).filter(({ types }) => types.includes(0))
  await writeFile(list, oids.map(({ oid }) => `${oid}\n`).join(''))
  return { folder, list }
}
