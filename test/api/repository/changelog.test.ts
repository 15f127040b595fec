import { beforeEach, describe, expect, it } from 'vitest'

import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, onDisk } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
const author = make.user({ username: 'author' })
const member = make.user({ username: 'member' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string

beforeEach(async () => {
  project = await make.project({ visibility: 'public' })
  await make.member('projects', project.id, member, 30)
  ids = fill(instance, project, [
    { message: 'Begin\n\nChangelog: added\n', files: { a: '0' } },
    {
      message: 'Add search\n\nLong text.\n\nChangelog: added\n',
      email: 'author@example.test',
      files: { a: '1' },
    },
    { message: 'Plain work\n', files: { a: '2' } },
    { message: 'Mend search\n\nChangelog: fixed\n', email: 'member@example.test', files: { a: '3' } },
    { message: 'Add colours\n\nchangelog: added\n', files: { a: '4' } },
    { message: 'Add mistake\n\nChangelog: added\n', files: { a: '5' } },
  ])
  const [mistake] = ids.slice(-1)
  fill(instance, project, [
    { message: `Revert "Add mistake"\n\nThis reverts commit ${mistake}\n`, files: { a: '6' } },
  ])
  at = `/projects/${project.id}/repository/changelog`
  shell(onDisk(instance, project), ['update-ref', 'refs/tags/v0.9.0', ids[0]!])
})

const entry = (title: string, index: number, more = '') =>
  `- [${title}](${project.path_with_namespace}@${ids[index]})${more}\n`
const notes = async (query: string) => {
  const { status, body } = await as(root).get(`${at}?${query}`)
  return status === 200 ? body.notes : [status, body]
}

describe('GET /projects/:id/repository/changelog', () => {
  it('lists the changes since the tag of the previous version', async () => {
    expect(await notes('version=1.0.0&date=2024-05-06')).toBe(
      `## 1.0.0 (2024-05-06)\n\n### added (2 changes)\n\n${entry('Add colours', 4)}${entry('Add search', 1, ' by @author')}\n### fixed (1 change)\n\n${entry('Mend search', 3)}\n`,
    )
  })

  it('accepts a range and a trailer', async () => {
    expect(await notes(`version=1.0.0&date=2024-05-06&from=${ids[1]}&to=${ids[3]}`)).toBe(
      `## 1.0.0 (2024-05-06)\n\n### fixed (1 change)\n\n${entry('Mend search', 3)}\n`,
    )
    expect(await notes('version=1.0.0&date=2024-05-06&trailer=Changes')).toBe(
      '## 1.0.0 (2024-05-06)\n\nNo changes.\n\n',
    )
  })

  it("follows the project's configuration", async () => {
    const config = [
      'date_format: "%d %B %Y"',
      'categories:',
      '  added: New',
      'include_groups: []',
      'template: |',
      '  {% each categories %}',
      '  * {{ title }}: {% each entries %}',
      '  {{ title }};\\',
      '  {% end %}',
      '',
      '  {% end %}',
      '',
    ].join('\n')
    fill(instance, project, [
      { files: { '.gitlab/changelog_config.yml': config, 'other.yml': 'tag_regex: "("' } },
    ])
    expect(await notes('version=v1.0.0&date=2024-05-06')).toBe(
      '## v1.0.0 (06 May 2024)\n\n* New: Add colours;Add search;\n* fixed: Mend search;\n\n',
    )
    const failed = (text: string) => [422, { message: `Failed to generate the changelog: ${text}` }]
    expect(await notes('version=1.0.0&config_file=other.yml')).toEqual(
      failed('The regular expression to use for finding the previous tag is invalid'),
    )
    expect(await notes('version=1.0.0&config_file=nope.yml')).toEqual(failed('There is no file nope.yml'))
  })

  it('reports why the changelog cannot be generated', async () => {
    expect(await notes('version=0.9.0')).toEqual([
      422,
      {
        message:
          'Failed to generate the changelog: The commit start range is unspecified, and no previous tag could be found to use instead',
      },
    ])
    expect(await notes('version=1')).toEqual([400, { error: 'version is invalid' }])
    expect(await notes('to=main')).toEqual([400, { error: 'version is missing' }])
    expect((await notes('version=1.0.0&from=nope'))[0]).toBe(422)
    expect((await notes('version=1.0.0&to=nope'))[0]).toBe(422)
    expect((await notes('version=1.0.0&config_file=../x'))[0]).toBe(400)
  })

  it('skips pre-releases', async () => {
    shell(onDisk(instance, project), ['update-ref', 'refs/tags/v1.0.0-rc1', 'refs/heads/main'])
    expect(await notes('version=1.0.0')).toContain('Add search')
    shell(onDisk(instance, project), ['update-ref', 'refs/tags/v0.10.0', ids[3]!])
    expect(await notes('version=1.0.0')).not.toContain('Add search')
  })
})

describe('POST /projects/:id/repository/changelog', () => {
  const file = () => shell(onDisk(instance, project), ['cat-file', 'blob', 'main:CHANGELOG.md'])
  const headings = () => Array.from(file().matchAll(/^## (\S+)/gm), (match) => match[1])

  it('writes the newest version first, and each version once', async () => {
    const post = (body: object) => as(member).post(at, { date: '2024-05-06', ...body })
    const first = await post({ version: '1.0.0' })
    expect([first.status, first.body]).toEqual([200, true])
    expect(file()).toContain('### added (2 changes)')
    expect(shell(onDisk(instance, project), ['log', '-1', '--format=%s %cn', 'main'])).toBe(
      'Add changelog for version 1.0.0 MEMBER',
    )
    await post({ version: '2.0.0', from: ids[0], message: 'Two' })
    await post({ version: '1.5.0', from: ids[0] })
    await post({ version: '1.0.0', from: ids[2] })
    expect(headings()).toEqual(['2.0.0', '1.5.0', '1.0.0'])
    expect(file().split('## 1.0.0')[1]).not.toContain('Add search')
    const elsewhere = await post({ version: '1.0.0', file: 'docs/NEWS.md', branch: 'main' })
    expect(elsewhere.status).toBe(200)
  })

  it('requires the right to push', async () => {
    expect((await as(author).post(at, { version: '1.0.0' })).status).toBe(403)
    await as(root).post(`/projects/${project.id}/protected_branches`, { name: 'main' })
    expect(await as(member).post(at, { version: '1.0.0' })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - You are not allowed to push into this branch' },
    })
    expect((await as(root).post(at, { version: '1.0.0', branch: 'nope' })).status).toBe(404)
    expect((await as(root).post(at, { version: '0.1.0' })).status).toBe(422)
    expect((await as(root).post(at, { version: '1.0.0', file: '../x' })).status).toBe(400)
  })
})
