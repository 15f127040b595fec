import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

import { cleanEnv, cli, root, scratch } from '../support/server-process.ts'

const folder = join(root, 'test/fixtures/older-data')
const archives = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'))
const here = scratch()
afterAll(() => here.clear())

interface Tokens {
  readonly personal: string
  readonly runner: string
  readonly deploy: string
  readonly upload: string
}

describe.each(archives)('the data folder of an earlier version, %s', (archive) => {
  const dataDir = here.path('data')
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', here.folder])
  const tokens = JSON.parse(readFileSync(here.path('tokens.json'), 'utf8')) as Tokens

  it('is migrated by the start, with all of its content', { timeout: 60_000 }, async () => {
    const instance = here.start({ dataDir })
    const url = await instance.url
    const request = (method: string, path: string, body?: object, token = tokens.personal) =>
      fetch(`${url}${path.startsWith('/crew/') ? '' : '/api/v4'}${path}`, {
        method,
        headers: { 'private-token': token, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    // The test compares single fields of the responses.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const json = async (path: string): Promise<any> => (await request('GET', path)).json()
    const text = async (path: string) => (await request('GET', path)).text()
    const shop = `/projects/${encodeURIComponent('crew/shop')}`

    expect(await json('/user')).toMatchObject({ username: 'anna' })
    expect(await json(shop)).toMatchObject({ default_branch: 'main', forks_count: 1, visibility: 'private' })
    expect(await json(`${shop}/issues?order_by=title&sort=asc`)).toMatchObject([
      { title: 'Closed one', state: 'closed' },
      { title: 'Door is stuck', labels: ['bug'], weight: 3, assignees: [{ username: 'anna' }], upvotes: 1 },
    ])
    expect(await json(`${shop}/issues/1/notes?activity_filter=only_comments`)).toMatchObject([
      { body: 'Looked at it.' },
    ])
    expect(await json(`${shop}/merge_requests?order_by=title&sort=asc`)).toMatchObject([
      { title: 'Merged', state: 'merged' },
      { title: 'Open', state: 'opened', reviewers: [{ username: 'anna' }] },
    ])
    expect(await text(`${shop}/repository/files/src%2Fmerged.txt/raw?ref=main`)).toBe('merged\n')
    expect(await text(`${shop}/jobs/1/artifacts`)).toBe('artifact')
    expect(await text(`${shop}/jobs/1/trace`)).toContain('built\n')
    expect(await json(`${shop}/variables/SECRET`)).toMatchObject({ value: 'sealed value' })
    expect(await json(`${shop}/releases/v1.0`)).toMatchObject({ name: 'One', description: 'First.' })
    expect(await json(`${shop}/wikis/home`)).toMatchObject({ content: 'Welcome' })
    expect(await json(`${shop}/hooks`)).toMatchObject([{ url: 'http://127.0.0.1:9/hook' }])
    expect(await json(`${shop}/pipeline_schedules`)).toMatchObject([{ cron: '0 3 * * *' }])
    expect(await text(tokens.upload)).toBe('upload')

    expect(await (await request('POST', `${shop}/issues`, { title: 'New' })).json()).toMatchObject({ iid: 3 })
    const merged = await request('PUT', `${shop}/merge_requests/2/merge`)
    expect(await merged.json()).toMatchObject({ state: 'merged' })
    const job = await request('POST', '/jobs/request', { token: tokens.runner })
    expect(job.status).toBe(201)
    expect(await job.json()).toMatchObject({ job_info: { project_name: 'Shop' } })
    const [{ username }] = await json(`${shop}/deploy_tokens`)
    const deploy = Buffer.from(`${username}:${tokens.deploy}`).toString('base64')
    const refs = await fetch(`${url}/crew/shop.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Basic ${deploy}` },
    })
    expect(refs.status).toBe(200)
    expect(await refs.text()).toContain('refs/heads/main')

    expect((await instance.stop()).code).toBe(0)
    const words = [cli, 'doctor', '--data-dir', dataDir, '--deep']
    const doctor = spawnSync(process.execPath, words, { env: cleanEnv({}), encoding: 'utf8' })
    expect(doctor.stdout).toContain('Everything is as it should be.\n')
  })
})
