import { expect, type Instance } from './instance.ts'

/** A job as the runner receives it. */
interface TakenJob {
  readonly id: number
  readonly name: string
  /** Appends to the log. */
  write(text: string): Promise<void>
  finish(state: 'success' | 'failed', more?: object): Promise<void>
}

/** A runner without a program: the test takes each step itself, through the runner protocol. */
export interface HandRunner {
  readonly id: number
  /** Requests the next job. There must be one. */
  take(): Promise<TakenJob>
  /** Runs all waiting jobs to success. */
  passAll(): Promise<void>
}

const INFO = {
  name: 'gitlab-runner',
  version: '16.5.0',
  platform: 'linux',
  architecture: 'amd64',
  features: { refspecs: true, return_exit_code: true, upload_multiple_artifacts: true },
}

/** Creates an instance runner and returns its steps. */
export async function handRunner(instance: Instance, description: string): Promise<HandRunner> {
  const { id, token } = await instance.api<{ id: number; token: string }>('POST', '/user/runners', {
    runner_type: 'instance_type',
    description,
  })
  const call = (method: string, path: string, body: string, headers: Record<string, string>) =>
    fetch(`${instance.url}/api/v4${path}`, { method, body, headers })
  const json = { 'content-type': 'application/json' }

  const ask = async (): Promise<TakenJob | undefined> => {
    const answer = await call('POST', '/jobs/request', JSON.stringify({ token, info: INFO }), json)
    if (answer.status === 204) return undefined
    expect(answer.status).toBe(201)
    const job = (await answer.json()) as { id: number; token: string; job_info: { name: string } }
    let written = 0
    return {
      id: job.id,
      name: job.job_info.name,
      write: async (text) => {
        const end = written + Buffer.byteLength(text)
        const added = await call('PATCH', `/jobs/${job.id}/trace`, text, {
          'content-type': 'text/plain',
          'content-range': `${written}-${end - 1}`,
          'job-token': job.token,
        })
        expect(added.status).toBe(202)
        written = end
      },
      finish: async (state, more = {}) => {
        const body = JSON.stringify({ token: job.token, state, ...more })
        expect((await call('PUT', `/jobs/${job.id}`, body, json)).status).toBe(200)
      },
    }
  }
  const take = async () => {
    const job = await ask()
    if (!job) throw new Error('No job waits for this runner.')
    return job
  }
  const passAll = async () => {
    for (let job = await ask(); job; job = await ask()) {
      await job.write(`$ ${job.name}\n`)
      await job.finish('success')
    }
  }
  return { id, take, passAll }
}
