import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const w = await world({ clock: { now: () => Date.parse('2026-03-04T05:06:07Z') } })
const { as, make } = w

const STAGES =
  'stages: [build, provision, test, deploy, review, dast, staging, production, performance, cleanup]'

/** Names that GitLab offers: general templates, static sites, tests and scanners. */
const NAMES = [
  '5-Minute-Production-App Android Android-Fastlane Auto-DevOps Bash C++ Chef Clojure Code-Quality Composer Crystal',
  'Dart Deploy-ECS Django Docker Elixir Flutter Getting-Started Go Gradle Grails Julia Kaniko Katalon LaTeX Laravel',
  'MATLAB Maven Mono Nodejs OpenShift PHP Packer Python Qualys-IaC-Security Ruby Rust Scala Swift Terraform',
  'Terraform-Module ThemeKit dotNET dotNET-Core iOS-Fastlane liquibase npm',
  'Brunch Doxygen Gatsby HTML Harp Hexo Hugo Hyde JBake Jekyll Jigsaw Lektor Metalsmith Middleman Nanoc Octopress',
  'Pelican SwaggerUI Zola Accessibility FailFast Load-Performance-Testing',
  'API-Fuzzing Container-Scanning Coverage-Fuzzing DAST DAST-API DAST-On-Demand-API-Scan DAST-On-Demand-Scan',
  'DAST-Runner-Validation Dependency-Scanning Fortify-FoD-sast License-Scanning SAST SAST-IaC Secret-Detection',
  'Secure-Binaries',
]

describe('templates of the instance', () => {
  it.each([
    ['gitignores', 'Node', /node_modules/],
    ['gitignores', 'macOS', /\.DS_Store/],
    ['dockerfiles', 'Golang-alpine', /^FROM golang/],
    ['gitlab_ci_ymls', 'Nodejs', /npm/],
    ['gitlab_ci_ymls', 'HTML', /pages/],
    ['gitlab_ci_ymls', 'SAST', /include:/],
  ])('%s/%s are listed and returned to anonymous callers', async (kind, key, text) => {
    const list = await as(null).get(`/templates/${kind}?per_page=100`)
    expect(list.status).toBe(200)
    const more = await as(null).get(`/templates/${kind}?per_page=100&page=2`)
    expect([...list.body, ...more.body]).toContainEqual({ key, name: key })
    const template = await as(null).get(`/templates/${kind}/${encodeURIComponent(key)}`)
    expect(template.status).toBe(200)
    expect(template.body).toEqual({ name: key, content: expect.stringMatching(text) })
  })

  it.each(['Pages/HTML', 'Jobs/SAST', 'Jobs/Deploy/ECS', 'Security/SAST.latest'])(
    'accept %s with its folder, and with an unencoded slash',
    async (key) => {
      expect((await as(null).get(`/templates/gitlab_ci_ymls/${key}`)).body.name).toBe(key)
    },
  )

  it.each([
    '/templates/gitignores/..%2F..%2Fpackage',
    '/templates/gitignores/Nothing',
    '/templates/dockerfiles/constructor',
    '/templates/gitlab_ci_ymls/__proto__',
    '/templates/gitlab_ci_ymls/..%2Ftemplates',
    '/templates/gitlab_ci_ymls/Jobs',
    '/templates/licenses/none',
  ])('return 404 for %s', async (path) => {
    const { status, body } = await as(null).get(path)
    expect([status, body.message]).toEqual([404, expect.stringMatching(/^404 (Template|License) Not Found$/)])
  })
})

describe('CI templates', () => {
  const folder = fileURLToPath(new URL('../../../server/domains/ci_config/templates/data', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yml'))
    .map((file) => file.slice(0, -'.yml'.length))

  it('are listed with the names of GitLab 15.11', async () => {
    const { body } = await as(null).get('/templates/gitlab_ci_ymls?per_page=100')
    const keys = (body as { key: string }[]).map((template) => template.key)
    expect(keys).toEqual([...new Set(keys)])
    for (const list of NAMES) expect(keys).toEqual(expect.arrayContaining(list.split(' ')))
  })

  it.each(files)('are valid when they are included: %s', async (name) => {
    // Some templates have only hidden jobs, and some define no stages.
    const content = `include: {template: ${name}.gitlab-ci.yml}\nmore: {stage: .pre, script: [echo]}\n${
      name.startsWith('Jobs/') ? STAGES : ''
    }`
    const included = await as(w.root).post('/ci/lint', { content })
    expect([included.body.errors, included.body.warnings]).toEqual([[], []])
  })
})

describe('licenses', () => {
  it('are listed by name, with their conditions and limitations', async () => {
    const { body } = await as(null).get('/templates/licenses?per_page=100')
    const names = body.map((license: { name: string }) => license.name)
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')))
    const mit = body.find((license: { key: string }) => license.key === 'mit')
    expect(mit).toMatchObject({
      name: 'MIT License',
      nickname: null,
      popular: true,
      conditions: ['include-copyright'],
      limitations: ['liability', 'warranty'],
      content: expect.stringContaining('Copyright (c) <year> <copyright holders>'),
    })
    const popular = await as(null).get('/templates/licenses?popular=true&per_page=100')
    expect(popular.body.length).toBeGreaterThan(5)
    expect(popular.body.every((license: { popular: boolean }) => license.popular)).toBe(true)
    const others = await as(null).get('/templates/licenses?popular=false&per_page=100')
    expect(others.body.length + popular.body.length).toBe(body.length)
  })

  it('have their placeholders filled: year, full name of the caller or the given one, project', async () => {
    const mit = await as(null).get('/templates/licenses/mit?fullname=Ada%20$1&project=Engine')
    expect(mit.body.content).toContain('Copyright (c) 2026 Ada $1\n')
    const user = make.user({ username: 'grace' })
    expect((await as(user).get('/templates/licenses/MIT')).body.content).toContain('2026 GRACE')
    const gpl = await as(user).get('/templates/licenses/gpl-3.0?project=Engine')
    expect(gpl.body.content).toContain('Engine  Copyright (C) 2026')
  })
})

describe('templates of a project', () => {
  let project: { id: number }
  beforeAll(async () => {
    project = await make.project({ visibility: 'private' })
    fill(w, project, [
      {
        files: {
          '.gitlab/issue_templates/Bug.md': '## What happened\n',
          '.gitlab/issue_templates/notes.txt': 'no template\n',
          '.gitlab/merge_request_templates/Default.md': '## Why\n',
        },
      },
    ])
  })

  it('are its own description templates and those of the instance', async () => {
    const at = `/projects/${project.id}/templates`
    expect((await as(w.root).get(`${at}/issues`)).body).toEqual([{ key: 'Bug', name: 'Bug' }])
    expect((await as(w.root).get(`${at}/issues/Bug`)).body).toEqual({
      name: 'Bug',
      content: '## What happened\n',
    })
    expect((await as(w.root).get(`${at}/merge_requests`)).body).toEqual([{ key: 'Default', name: 'Default' }])
    expect((await as(w.root).get(`${at}/licenses?per_page=1`)).body[0]).toEqual({
      key: 'apache-2.0',
      name: 'Apache License 2.0',
    })
    expect((await as(w.root).get(`${at}/licenses/mit`)).body.key).toBe('mit')
    expect((await as(w.root).get(`${at}/gitignores/Node`)).body.name).toBe('Node')
  })

  it('return 404 for unknown templates, and for callers who cannot see the project', async () => {
    const at = `/projects/${project.id}/templates`
    expect((await as(w.root).get(`${at}/issues/notes.txt`)).status).toBe(404)
    expect((await as(w.root).get(`${at}/recipes`)).body).toEqual({
      error: 'type does not have a valid value',
    })
    const stranger = make.user()
    expect((await as(stranger).get(`${at}/issues`)).body).toEqual({ message: '404 Project Not Found' })
  })
})
