import type { Ctx } from '../../../ctx.ts'
import { openBlob } from '../../../git/blob.ts'
import { isRevision } from '../../../git/names.ts'
import { resolveCommit } from '../../../git/revisions.ts'
import { findEntry } from '../../../git/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { largeFileOf, openLargeFile } from '../large-files.ts'
import { inRepository } from '../repo.ts'

/** Names of branches with more parts than this are found by the API only. */
const MAX_REF_PARTS = 20

interface Place {
  readonly blob: string
  readonly path: string
}

/** Where `<ref>/<path>` leads: the shortest beginning that names a commit which has the rest as a file. */
async function findPlace(repo: Repo, rest: string): Promise<Place | undefined> {
  const parts = rest.split('/')
  for (let length = 1; length < Math.min(parts.length, MAX_REF_PARTS); length++) {
    const ref = parts.slice(0, length).join('/')
    const path = parts.slice(length).join('/')
    const commit = isRevision(ref) ? await resolveCommit(repo, ref) : null
    const entry = commit === null ? null : await findEntry(repo, commit, path)
    if (entry?.type === 'blob') return { blob: entry.id, path }
  }
  return undefined
}

/** A file by `<ref>/<path>`, as a stream; the content itself where it is a large file that is kept here. */
export function openRaw(ctx: Ctx, project: Project, rest: string, signal: AbortSignal) {
  return inRepository(ctx, project, async (repo) => {
    const place = await findPlace(repo, rest)
    const blob = place && (await openBlob(repo, place.blob, { signal }))
    if (!place || !blob) throw notFound('File')
    const large = await largeFileOf(ctx, project, repo, blob)
    if (large) {
      blob.stream.destroy()
      const stream = openLargeFile(ctx, large, signal)
      return { id: large.oid, size: large.size, stream, path: place.path }
    }
    return { id: blob.id, size: blob.size, stream: blob.stream, path: place.path }
  })
}
