import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'

const pages = mkdtempSync(join(tmpdir(), 'deskforge-pages-'))
writeFileSync(join(pages, 'index.html'), '<!doctype html><title>The window</title>')
afterAll(() => rmSync(pages, { recursive: true, force: true }))

const w = await world({ rendererDir: pages })
const { make } = w
const root = w.as(w.root)
const settings = async (params: object) =>
  expect(await root.put('/application/settings', params)).toMatchObject({ status: 200 })

const rendered = async (text: string): Promise<string> =>
  (await root.post('/markdown', { text, gfm: true })).body.html
const picture = async (text: string) =>
  / src="([^"]*)"/.exec(await rendered(text))?.[1]?.replaceAll('&amp;', '&')
const allowed = async () =>
  / ?img-src ([^;]*);/.exec((await fetch(w.url)).headers.get('content-security-policy') ?? '')![1]
const look = async () => (await root.get('/-/look')).body.settings

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_'
const USUAL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

describe('diagrams', () => {
  const block = (language: string) => `\`\`\`${language}\na -> "b" & <c>\n\`\`\``

  it.each([{ settings: ['diagramA_enabled', 'diagramA_url'] }])(
    '$settings: renders diagrams with a server',
    async () => {
      expect(await picture(block('plantuml'))).toBeUndefined()
      expect(await allowed()).toBe("'self' data: blob:")
      await settings({ diagramA_enabled: true, diagramA_url: 'https://draw.example.test/uml/' })
      const address = (await picture(block('plantuml')))!
      expect(address).toMatch(/^https:\/\/draw\.example\.test\/uml\/svg\/[0-9A-Za-z_-]+$/)
      const code = address
        .split('/')
        .at(-1)!
        .replace(/./g, (letter) => USUAL[ALPHABET.indexOf(letter)]!)
      expect(inflateRawSync(Buffer.from(code, 'base64')).toString()).toBe(
        '@startuml\na -> "b" & <c>\n@enduml',
      )
      expect(await picture(block('graphviz'))).toBeUndefined()
      expect(await allowed()).toBe("'self' data: blob: https://draw.example.test")
      expect((await look()).picture_origins).toEqual(['https://draw.example.test'])
      await settings({ diagramA_enabled: false })
      expect(await allowed()).toBe("'self' data: blob:")
    },
  )

  it.each([{ settings: ['kroki_enabled', 'kroki_url', 'kroki_formats'] }])(
    '$settings: renders diagrams with another server',
    async () => {
      await settings({ kroki_enabled: true, kroki_url: 'http://127.0.0.1:8000' })
      const address = (await picture(block('graphviz')))!
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:8000\/graphviz\/svg\/[0-9A-Za-z_-]+$/)
      const code = Buffer.from(address.split('/').at(-1)!, 'base64url')
      expect(inflateSync(code).toString()).toBe('a -> "b" & <c>\n')
      expect(await allowed()).toBe("'self' data: blob: http://127.0.0.1:8000")
      expect(await picture(block('bpmn'))).toBeUndefined()
      expect(await picture(block('ruby'))).toBeUndefined()
      await settings({ kroki_formats: { bpmn: true, blockdiag: false, excalidraw: false } })
      expect(await picture(block('bpmn'))).toContain('/bpmn/svg/')
      expect(await picture(block('nwdiag'))).toBeUndefined()
      // The text is too long for a URL.
      const long = Array.from({ length: 20_000 }, (_, at) => (at * 7919) % 65_521).join(' ')
      expect(await picture(`\`\`\`graphviz\n${long}\n\`\`\``)).toBeUndefined()
      await settings({ kroki_enabled: false })
    },
  )
})

describe('images of other hosts', () => {
  const names = ['asset_proxy_enabled', 'asset_proxy_url', 'asset_proxy_secret_key', 'asset_proxy_allowlist']

  it.each([
    {
      settings: ['asset_proxy_enabled', 'asset_proxy_url', 'asset_proxy_secret_key', 'asset_proxy_allowlist'],
    },
  ])('$settings: load through a proxy', async (row) => {
    expect(row.settings).toEqual(names)
    const address = 'http://pictures.example.test/a.png?b=1&c="2"'
    const text = `![a](<${address}>)`
    const before = await picture(text)
    await settings({
      asset_proxy_enabled: true,
      asset_proxy_url: 'https://proxy.example.test/camo/',
      asset_proxy_secret_key: 'sesame',
      asset_proxy_allowlist: ['free.example.test', '*.ours.test'],
    })
    const digest = createHmac('sha1', 'sesame').update(before!).digest('hex')
    expect(await picture(text)).toBe(
      `https://proxy.example.test/camo/${digest}/${Buffer.from(before!).toString('hex')}`,
    )
    for (const free of [
      'https://free.example.test/a.png',
      'https://x.ours.test/a.png',
      `${w.url}/a.png`,
      '/a.png',
    ])
      expect(await picture(`![a](${free})`)).toBe(free)
    expect(await allowed()).toBe("'self' data: blob: https://proxy.example.test")
    await settings({ asset_proxy_enabled: false })
    expect(await picture(text)).toBe(before)
  })
})

describe('rendered texts', () => {
  it('local_markdown_version: a higher version renders all texts again', async () => {
    const { id } = await make.project({ description: 'Some **words**' })
    const label = (
      await root.post(`/projects/${id}/labels`, { name: 'x', color: '#fff', description: '*x*' })
    ).body
    const db = w.ctx().db
    db.exec("UPDATE projects SET description_html = 'old' WHERE id = ?", id)
    db.exec("UPDATE labels SET description_html = 'old' WHERE id = ?", label.id)
    await settings({ first_day_of_week: 1 })
    await w.drain()
    const descriptions = async () => [
      (await root.get(`/projects/${id}`)).body.description_html,
      (await root.get(`/projects/${id}/labels/${label.id}`)).body.description_html,
    ]
    expect(await descriptions()).toEqual(['old', 'old'])
    await settings({ local_markdown_version: 2 })
    await w.drain()
    expect(await descriptions()).toEqual(['<p>Some <strong>words</strong></p>', '<em>x</em>'])
  })
})

describe('templates', () => {
  let project: { id: number }
  beforeAll(async () => {
    project = await make.project({ visibility: 'private' })
    fill(w, project, [
      {
        files: {
          'LICENSE/House.md': 'Ours alone.',
          'Dockerfile/House.dockerfile': 'FROM house',
          'Dockerfile/notes.txt': 'no template',
          'gitignore/House.gitignore': 'house/',
          'gitlab-ci/House.yml': 'house: { script: echo }',
        },
      },
    ])
  })

  it('file_template_project_id: offers the templates of a project in all projects', async () => {
    const kinds = [
      ['licenses', 'Ours alone.'],
      ['dockerfiles', 'FROM house'],
      ['gitignores', 'house/'],
      ['gitlab_ci_ymls', 'house: { script: echo }'],
    ]
    for (const [kind] of kinds) expect((await root.get(`/templates/${kind}/House`)).status).toBe(404)
    await settings({ file_template_project_id: project.id })
    const other = await make.project()
    for (const [kind, content] of kinds) {
      const list = (await root.get(`/templates/${kind}?per_page=5`)).body
      expect(list[0]).toMatchObject({ key: 'House', name: 'House' })
      expect((await root.get(`/templates/${kind}/House`)).body).toMatchObject({ name: 'House', content })
      expect((await root.get(`/projects/${other.id}/templates/${kind}/House`)).body).toMatchObject({
        content,
      })
    }
    const dockerfiles = (await root.get('/templates/dockerfiles?per_page=100')).body
    expect(dockerfiles.map(({ key }: { key: string }) => key)).not.toContain('notes')
    await settings({ file_template_project_id: null })
    expect((await root.get('/templates/dockerfiles/House')).status).toBe(404)
  })
})

describe('the window', () => {
  it.each([
    {
      setting: 'default_snippet_visibility',
      value: 'internal',
      field: 'snippet_visibility',
      shown: 'internal',
    },
    { setting: 'protected_ci_variables', value: false, field: 'protects_variables', shown: false },
    { setting: 'suggest_pipeline_enabled', value: false, field: 'suggests_pipelines', shown: false },
    { setting: 'user_show_add_ssh_key_message', value: false, field: 'reminds_of_ssh_keys', shown: false },
    { setting: 'first_day_of_week', value: 6, field: 'first_day_of_week', shown: 6 },
    { setting: 'whats_new_variant', value: 'disabled', field: 'whats_new', shown: false },
    {
      setting: 'help_page_support_url',
      value: 'https://help.test/',
      field: 'support_url',
      shown: 'https://help.test/',
    },
    {
      setting: 'help_page_documentation_base_url',
      value: 'https://docs.test',
      field: 'documentation_url',
      shown: 'https://docs.test',
    },
  ])('$setting: is in the response', async ({ setting, value, field, shown }) => {
    expect((await look())[field]).not.toBe(shown)
    await settings({ [setting]: value })
    expect((await look())[field]).toBe(shown)
  })

  it('shared_runners_text: is shown to signed-in users', async () => {
    await settings({ shared_runners_text: 'Ours are **fast**.' })
    expect((await look()).runners_text_html).toBe('<p>Ours are <strong>fast</strong>.</p>')
    expect((await w.as(null).get('/-/look')).body.settings.runners_text_html).toBe('')
  })

  it.each([
    { setting: 'help_page_text', field: 'text_html' },
    { setting: 'help_text', field: 'further_html' },
  ])('$setting: is shown on the help page as safe HTML', async ({ setting, field }) => {
    await settings({ [setting]: 'Ask *Ann*. <script>1</script>' })
    const { body } = await w.as(null).get('/-/help')
    expect(body).toMatchObject({ [field]: '<p>Ask <em>Ann</em>. </p>', version: null })
    expect((await root.get('/-/help')).body.version).toBe(w.ctx().config.version)
  })
})

describe('metrics', () => {
  it('prometheus_metrics_enabled: serves metrics to local programs', async () => {
    const read = (headers: Record<string, string> = {}) => fetch(`${w.url}/-/metrics`, { headers })
    const answer = await read()
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const text = await answer.text()
    expect(text).toMatch(/^http_requests_total\{method="get",status="200"\} [1-9]\d*$/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toMatch(/^deskforge_records\{kind="projects"\} [1-9]/m)
    const lines = text.trimEnd().split('\n')
    expect(lines.filter((line) => !/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [\d.e+-]+)$/.test(line))).toEqual(
      [],
    )
    expect((await read({ 'x-forwarded-for': '192.0.2.1' })).status).toBe(404)
    await settings({ prometheus_metrics_enabled: false })
    expect((await read()).status).toBe(404)
  })
})
