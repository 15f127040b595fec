import { api } from '../../api/client.ts'
import { sendOpenly } from '../../api/stranger.ts'
import { workOn } from './work.ts'

type Job = {
  id: number
  token: string
  job_info: { name: string }
  git_info: { ref: string; sha: string }
}

const NAME = 'The demo, in a window'
const JSON_TYPE = { 'Content-Type': 'application/json' }
/** Between two looks for jobs, and how often it looks in all. */
const PAUSE_MS = 250
const MOST_LOOKS = 240
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Runs the pending jobs of a project as a temporary runner. */
export const runWaitingJobs = async (id: number): Promise<void> => {
  await removeRunners(id)
  const runner = await api('POST /user/runners', {
    runner_type: 'project_type',
    project_id: id,
    description: NAME,
    run_untagged: true,
    locked: true,
  })
  try {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const job = await takeJob(runner.token)
      if (job) await run(job)
      else if (await isIdle(id)) return
      else await wait(PAUSE_MS)
    }
  } finally {
    await removeRunners(id)
  }
}

/** Also one that stayed when a window was closed. */
const removeRunners = async (id: number) => {
  const runners = await api('GET /projects/:id/runners', { id, type: 'project_type', per_page: 100 })
  for (const one of runners) if (one.description === NAME) await api('DELETE /runners/:id', { id: one.id })
}

const isIdle = async (id: number) => {
  const scope = ['created', 'pending', 'running', 'waiting_for_resource', 'preparing'] as const
  return (await api('GET /projects/:id/jobs', { id, scope: [...scope], per_page: 1 })).length === 0
}

const takeJob = async (token: string): Promise<Job | null> => {
  const features = {
    artifacts: true,
    upload_multiple_artifacts: true,
    upload_raw_artifacts: true,
    trace_sections: true,
  }
  const info = { name: 'demo', version: '1.0', platform: 'window', executor: 'shell', features }
  const response = await sendOpenly('/api/v4/jobs/request', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ token, info }),
  })
  return response.status === 201 ? ((await response.json()) as Job) : null
}

const run = async (job: Job): Promise<void> => {
  const { id, token } = job
  const { lines, leaves } = await workOn(job.job_info.name, job.git_info.ref, job.git_info.sha)
  for (const { type, format, name, file } of leaves) {
    const form = new FormData()
    form.append('file', file, name)
    const query = new URLSearchParams({ artifact_type: type, artifact_format: format })
    await sendOpenly(`/api/v4/jobs/${id}/artifacts?${query}`, {
      method: 'POST',
      headers: { 'JOB-TOKEN': token },
      body: form,
    })
  }
  const log = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
  await sendOpenly(`/api/v4/jobs/${id}/trace`, {
    method: 'PATCH',
    headers: { 'JOB-TOKEN': token, 'Content-Range': `0-${log.length - 1}`, 'Content-Type': 'text/plain' },
    body: log,
  })
  await sendOpenly(`/api/v4/jobs/${id}`, {
    method: 'PUT',
    headers: JSON_TYPE,
    body: JSON.stringify({ token, state: 'success' }),
  })
}
