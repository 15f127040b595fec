import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

const pages = mkdtempSync(join(tmpdir(), 'deskforge-pages-'))
writeFileSync(join(pages, 'index.html'), '<!doctype html><title>The window</title>')
afterAll(() => rmSync(pages, { recursive: true, force: true }))

const w = await world({ rendererDir: pages })
const { make } = w
const root = w.as(w.root)
const settings = async (params: object) =>
  expect(await root.put('/application/settings', params)).toMatchObject({ status: 200 })

let project: { id: number; path_with_namespace: string }
beforeAll(async () => {
  project = await make.project()
})

describe('the format of responses', () => {
  it('custom_http_clone_url_root: is the base of clone URLs', async () => {
    const at = `/projects/${project.id}`
    const before = (await root.get(at)).body
    await settings({ custom_http_clone_url_root: 'https://git.example.test/forge/' })
    const { body } = await root.get(at)
    expect(body.http_url_to_repo).toBe(`https://git.example.test/forge/${project.path_with_namespace}.git`)
    expect(body.web_url).toBe(before.web_url)
    const snippet = await root.post('/snippets', { title: 'x', files: [{ file_path: 'a', content: 'a' }] })
    expect(snippet.body.http_url_to_repo).toMatch(/^https:\/\/git\.example\.test\/forge\/snippets\/\d+\.git$/)
    await settings({ custom_http_clone_url_root: '' })
    expect((await root.get(at)).body.http_url_to_repo).toBe(before.http_url_to_repo)
  })

  it('time_tracking_limit_to_hours: shows durations without days and weeks', async () => {
    const issue = (await root.post(`/projects/${project.id}/issues`, { title: 'Long' })).body
    const at = `/projects/${project.id}/issues/${issue.iid}`
    const estimate = (duration: string) => root.post(`${at}/time_estimate`, { duration })
    expect((await estimate('1w 3h')).body.human_time_estimate).toBe('1w 3h')
    await settings({ time_tracking_limit_to_hours: true })
    expect((await root.get(`${at}/time_stats`)).body.human_time_estimate).toBe('43h')
    expect((await root.get(at)).body.time_stats.human_time_estimate).toBe('43h')
    await estimate('2d')
    const notes = (await root.get(`${at}/notes`)).body
    expect(notes[0].body).toBe('changed time estimate to 16h')
    await settings({ time_tracking_limit_to_hours: false })
    expect((await root.get(at)).body.time_stats.human_time_estimate).toBe('2d')
  })

  it.each([
    ['polling_interval_multiplier', 1, '10000'],
    ['polling_interval_multiplier', 2.5, '25000'],
    ['polling_interval_multiplier', 0, '-1'],
  ])('%s: with %d windows poll after %s', async (setting, value, interval) => {
    await settings({ [setting]: value })
    const answer = await fetch(`${w.url}/-/session`)
    expect(answer.headers.get('poll-interval')).toBe(interval)
    // The contract returns decimals as text, and accepts text and numbers.
    const text = value === 2.5 ? '2.5' : `${value}.0`
    expect((await root.get('/application/settings')).body.polling_interval_multiplier).toBe(text)
    await settings({ [setting]: text })
    expect((await root.get('/application/settings')).body.polling_interval_multiplier).toBe(text)
    expect((await fetch(`${w.url}/api/v4/projects`)).headers.get('poll-interval')).toBeNull()
  })

  it('floc_enabled: pages send no header against interest cohorts', async () => {
    const policy = async () => (await fetch(w.url)).headers.get('permissions-policy')
    expect(await policy()).toBe('interest-cohort=()')
    await settings({ floc_enabled: true })
    expect(await policy()).toBeNull()
  })

  it('security_txt_content: is served at /.well-known/security.txt', async () => {
    const read = () => fetch(`${w.url}/.well-known/security.txt`)
    expect((await read()).status).toBe(404)
    await settings({ security_txt_content: 'Contact: mailto:root@example.test' })
    const answer = await read()
    expect([answer.status, await answer.text()]).toEqual([200, 'Contact: mailto:root@example.test\n'])
    expect(answer.headers.get('content-type')).toContain('text/plain')
  })
})
