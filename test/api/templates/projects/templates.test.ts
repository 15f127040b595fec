import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

interface Offered {
  name: string
  title: string
  description: string
  files: { path: string; content: string }[]
}

const { as, make, drain } = await world()
const maker = await make.user()
const list = await as(maker).get('/-/project_templates')
const me = await as(maker).get('/user')
const templates = list.body as Offered[]

describe('GET /-/project_templates', () => {
  it('lists each template with its files', () => {
    expect(list.status).toBe(200)
    expect(templates.length).toBeGreaterThanOrEqual(6)
    for (const { title, description, files } of templates) {
      expect(title).not.toBe('')
      expect(description).toMatch(/\.$/)
      const paths = files.map((file) => file.path)
      expect(paths).toEqual(expect.arrayContaining(['README.md', '.gitignore', '.gitlab-ci.yml']))
    }
  })

  it('requires authentication', async () => {
    expect((await as(null).get('/-/project_templates')).status).toBe(401)
  })
})

describe('POST /projects with template_name', () => {
  it.each(templates)('creates a project with all files of $name, and a valid pipeline', async (template) => {
    const path = template.name.replaceAll('_', '-')
    const made = await as(maker).post('/projects', { name: `My ${path}`, path, template_name: template.name })
    expect([made.status, made.body.import_status]).toEqual([201, 'scheduled'])
    const { id } = made.body
    await drain()
    const status = await as(maker).get(`/projects/${id}/import`)
    expect(status.body).toMatchObject({ import_status: 'finished', import_type: 'gitlab_project' })
    const tree = await as(maker).get(`/projects/${id}/repository/tree?recursive=true&per_page=100`)
    const blobs = (tree.body as { type: string; path: string }[]).filter((entry) => entry.type === 'blob')
    expect(blobs.map((blob) => blob.path).toSorted()).toEqual(
      template.files.map((file) => file.path).toSorted(),
    )
    const commits = await as(maker).get(`/projects/${id}/repository/commits`)
    expect(commits.body).toHaveLength(1)
    expect(commits.body[0].author_name).toBe(me.body.name)
    const readme = await as(maker).get(`/projects/${id}/repository/files/README.md/raw?ref=main`)
    expect(String(readme.body ?? readme.text)).toContain(`# My ${path}`)
    const content = template.files.find((file) => file.path === '.gitlab-ci.yml')!.content
    const lint = await as(maker).post(`/projects/${id}/ci/lint`, { content })
    expect(lint.body).toMatchObject({ valid: true, errors: [], warnings: [] })
    const project = await as(maker).get(`/projects/${id}`)
    expect(project.body).toMatchObject({ empty_repo: false, import_error: null })
  })

  it.each(['nothing', '__proto__'])('refuses %j', async (template_name) => {
    const { status, body } = await as(maker).post('/projects', { name: 'Refused', template_name })
    expect(status).toBe(400)
    expect(body.message).toEqual({ template_name: [`'${template_name}' is unknown or invalid`] })
  })

  it('looks up custom templates in the group only', async () => {
    const params = { name: 'Refused', template_name: 'static_site', use_custom_template: true }
    expect((await as(maker).post('/projects', params)).status).toBe(400)
  })
})
