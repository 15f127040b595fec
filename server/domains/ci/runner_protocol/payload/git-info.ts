import { JOB_TOKEN_LOGIN } from '../../../../lib/aliases.ts'
import type { JobRow } from '../../jobs/store.ts'
import { pipelineRef } from '../../pipelines/refs.ts'
import type { PipelineRow } from '../../pipelines/store.ts'

/** How a runner gets the code. */
export interface GitInfo {
  readonly repo_url: string
  readonly repo_object_format: 'sha1'
  readonly ref: string
  readonly sha: string
  readonly before_sha: string
  readonly ref_type: 'branch' | 'tag'
  readonly refspecs: readonly string[]
  readonly depth: number
  readonly protected: boolean
}

/** Depth of the copy: the variable of the job, else what the project says; 0 for all of the history. */
export function depthOf(variables: readonly { key: string; value: string }[], usual: number | null): number {
  const given = variables.find(({ key }) => key === 'GIT_DEPTH')?.value
  const depth = given === undefined || given === '' ? (usual ?? 0) : Number(given)
  return Number.isSafeInteger(depth) && depth > 0 ? depth : 0
}

/**
 * What is fetched: the pipeline's own ref, and the branch or tag so that scripts can name it; for a full copy all branches
 * and tags (spec ci 1.8).
 */
export function refspecsOf(
  pipeline: Pick<PipelineRow, 'id' | 'ref' | 'tag' | 'merge_request_id'>,
  depth: number,
): string[] {
  const own = `+${pipelineRef(pipeline.id)}:${pipelineRef(pipeline.id)}`
  if (depth === 0) return [own, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  if (pipeline.tag) return [own, `+refs/tags/${pipeline.ref}:refs/tags/${pipeline.ref}`]
  if (pipeline.ref.startsWith('refs/')) return [own]
  return [own, `+refs/heads/${pipeline.ref}:refs/remotes/origin/${pipeline.ref}`]
}

/** `git_info` of a job. */
export function gitInfoOf(
  { pipeline, job }: { readonly pipeline: PipelineRow; readonly job: JobRow },
  source: { readonly url: string; readonly path: string; readonly token: string; readonly depth: number },
): GitInfo {
  return {
    repo_url: addressWith(source),
    repo_object_format: 'sha1',
    ref: job.ref,
    sha: pipeline.sha,
    before_sha: pipeline.before_sha,
    ref_type: job.tag ? 'tag' : 'branch',
    refspecs: refspecsOf(pipeline, source.depth),
    depth: source.depth,
    protected: job.protected,
  }
}

function addressWith({ url, path, token }: { url: string; path: string; token: string }): string {
  const address = new URL(`${url}/${path}.git`)
  address.username = JOB_TOKEN_LOGIN
  address.password = token
  return address.href
}
