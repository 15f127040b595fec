import { randomBytes } from 'node:crypto'

import { ZipFile } from 'yazl'

import { tokenDigest } from '../../../server/lib/security/crypto.ts'
import type { World } from '../../support/world.ts'

/** A job that was inserted directly into the database. */
export interface MadeJob {
  id: number
  name: string
  token: string
  pipeline_id: number
}

interface PipelineColumns {
  ref?: string
  tag?: boolean
  status?: string
  source?: string
  upstream_pipeline_id?: number
}

interface JobColumns {
  name?: string
  status?: string
  stage_index?: number
  user_id?: number | null
  needs?: object[] | null
  options?: object
  retried?: boolean
}

/** Inserts pipelines and jobs of one project directly into the database. */
export function pipelinesOf(world: World, project: { id: number }, user: { id: number }) {
  const { db } = world.ctx()
  let iid = 1000
  const pipeline = (columns: PipelineColumns = {}): number => {
    const {
      ref = 'main',
      tag = 0,
      status = 'running',
      source = 'push',
      upstream_pipeline_id = null,
    } = columns
    const { now } = world.ctx()
    return db.one<{ id: number }>(
      `INSERT INTO ci_pipelines (iid, project_id, user_id, source, status, ref, tag, sha, upstream_pipeline_id, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
      iid++,
      project.id,
      user.id,
      source,
      status,
      ref,
      tag,
      'a'.repeat(40),
      upstream_pipeline_id,
      now,
      now,
    )!.id
  }
  const job = (pipeline_id: number, columns: JobColumns = {}): MadeJob => {
    const { name = 'build', status = 'running', stage_index = 1, user_id = user.id, retried = 0 } = columns
    const token = `glcbt-${randomBytes(10).toString('hex')}`
    const { now } = world.ctx()
    const { id } = db.one<{ id: number }>(
      `INSERT INTO ci_jobs (pipeline_id, project_id, name, base, stage, stage_index, status, user_id, ref, needs, retried,
         token_digest, created_at, updated_at, started_at)
       VALUES (?, ?, ?, ?, 'test', ?, ?, ?, 'main', ?, ?, ?, ?, ?, ?) RETURNING id`,
      pipeline_id,
      project.id,
      name,
      name,
      stage_index,
      status,
      user_id,
      columns.needs ? JSON.stringify(columns.needs) : null,
      retried,
      tokenDigest(token),
      now,
      now,
      now,
    )!
    db.exec(
      'INSERT INTO ci_job_details (job_id, options) VALUES (?, ?)',
      id,
      JSON.stringify(columns.options ?? {}),
    )
    return { id, name, token, pipeline_id }
  }
  const set = (id: number, columns: Record<string, unknown>): void => {
    for (const [name, value] of Object.entries(columns))
      db.exec(`UPDATE ci_jobs SET ${name} = ? WHERE id = ?`, value, id)
  }
  return { pipeline, job, set }
}

/** The files of an archive, as text or bytes. */
export type Files = Record<string, string | Buffer>

/** Builds an archive as runners do. */
export async function zipOf(files: Files): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path)
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Uploads a file with the token of a job. */
export function upload(
  world: World,
  job: { id: number; token: string },
  content: Buffer,
  query: Record<string, string> = {},
  filename = 'artifacts.zip',
) {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(content)]), filename)
  const search = new URLSearchParams(query).toString()
  return world
    .as(null)
    .post(`/jobs/${job.id}/artifacts${search && `?${search}`}`, form, { 'job-token': job.token })
}

/** Returns the bytes of a response. */
export async function bytesOf(world: World, path: string, headers: Record<string, string>) {
  const answer = await fetch(`${world.url}/api/v4${path}`, { headers })
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
}
