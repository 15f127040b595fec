import { describe, expect, it } from 'vitest'

import { watchEvents } from '../repository/fill.ts'
import { world, type TestUser } from '../../support/world.ts'

const w = await world()
const developer = w.make.user({ username: 'developer' })
const reporter = w.make.user({ username: 'reporter' })
const guest = w.make.user({ username: 'guest' })
const stranger = w.make.user({ username: 'stranger' })

const group = await w.make.group()
for (const [user, level] of [
  [developer, 30],
  [reporter, 20],
  [guest, 10],
] as const)
  await w.make.member('groups', group.id, user, level)
const project = await w.make.project({ namespace_id: group.id })
await w.drain()

const OWNERS = [
  ['project', `/projects/${project.id}/wikis`],
  ['group', `/groups/${group.id}/wikis`],
] as const

const titles = (rows: { title: string }[]): string[] => rows.map((row) => row.title)
const at = (base: string, slug: string): string => `${base}/${encodeURIComponent(slug)}`

async function write(base: string, page: object, user: TestUser = developer) {
  const { status, body } = await w.as(user).post(base, page)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

function fileBody(name: string, content: string, fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  form.set('file', new Blob([content]), name)
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  return form
}

describe.each(OWNERS)('the wiki of a %s', (owner, base) => {
  const as = (user: TestUser | null) => w.as(user)

  it('is empty before its first page', async () => {
    const { status, body, headers } = await as(guest).get(base)
    expect([status, body]).toEqual([200, []])
    expect(headers.get('x-total')).toBeNull()
    const missing = await as(guest).get(at(base, 'home'))
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Wiki Page Not Found' }])
    expect((await as(developer).delete(at(base, 'home'))).body).toEqual({
      message: '404 Wiki Page Not Found',
    })
    expect((await as(developer).put(at(base, 'home'), { content: 'a' })).status).toBe(404)
  })

  it('accepts pages, and lists them by title', async () => {
    const home = await write(base, { title: 'home', content: '# Hello\n' })
    expect(home).toEqual({
      format: 'markdown',
      slug: 'home',
      title: 'home',
      content: '# Hello\n',
      encoding: 'UTF-8',
    })
    await write(base, { title: '  How   to /  Deploy   it ', content: 'By hand', format: 'asciidoc' })
    await write(base, { title: 'Änderungen & mehr', content: '', format: 'org' })
    const listed = await as(guest).get(base)
    expect(listed.body).toEqual([
      { format: 'asciidoc', slug: 'How-to/Deploy-it', title: 'Deploy it' },
      { format: 'markdown', slug: 'home', title: 'home' },
      { format: 'org', slug: 'Änderungen-&-mehr', title: 'Änderungen & mehr' },
    ])
    const full = await as(guest).get(`${base}?with_content=1`)
    expect(full.body[0]).toEqual({
      format: 'asciidoc',
      slug: 'How-to/Deploy-it',
      title: 'Deploy it',
      content: 'By hand',
      encoding: 'UTF-8',
    })
    expect((await as(guest).get(at(base, 'How-to/Deploy-it'))).body.content).toBe('By hand')
    expect((await as(guest).get(`${base}/How-to/Deploy-it`)).body.content).toBe('By hand')
    expect((await as(guest).get(at(base, 'how to/deploy it'))).body.slug).toBe('How-to/Deploy-it')
    const html = await as(guest).get(`${at(base, 'home')}?render_html=true`)
    expect(html.body.content).toMatch(/<h1[^>]*>.*Hello.*<\/h1>/s)
  })

  it('refuses invalid pages', async () => {
    const post = async (params: object) => {
      const { status, body } = await as(developer).post(base, params)
      return [status, body]
    }
    expect(await post({})).toEqual([400, { error: 'title is missing, content is missing' }])
    expect(await post({ content: 'a' })).toEqual([400, { error: 'title is missing' }])
    expect(await post({ title: ' / ', content: 'a' })).toEqual([
      400,
      { message: { title: ["can't be blank"] } },
    ])
    expect(await post({ title: '..', content: 'a' })).toEqual([
      400,
      { message: { title: ["can't be blank"] } },
    ])
    expect(await post({ title: 'x', content: 'a', format: 'pod' })).toEqual([
      400,
      { error: 'format does not have a valid value' },
    ])
    const duplicate = { message: { base: ['Duplicate page: A page with that title already exists'] } }
    expect(await post({ title: 'HOME', content: 'a' })).toEqual([400, duplicate])
    expect(await post({ title: 'how to/deploy it', content: 'a', format: 'rdoc' })).toEqual([400, duplicate])
    const long = 'exceeds the limit of 245 bytes for page titles'
    expect(await post({ title: 'ä'.repeat(123), content: 'a' })).toEqual([
      400,
      { message: { title: [long] } },
    ])
    const folder = 'f'.repeat(256)
    expect(await post({ title: `${folder}/a`, content: 'a' })).toEqual([
      400,
      { message: { title: [`exceeds the limit of 255 bytes for directory name "${folder}"`] } },
    ])
    const git = [400, { message: { title: ['is not a name that git can store'] } }]
    expect(await post({ title: '.git/config', content: 'a' })).toEqual(git)
    expect(await post({ title: '.GIT/hooks/x', content: 'a' })).toEqual(git)
    expect(await post({ title: 'git~1/x', content: 'a' })).toEqual(git)
    expect(await post({ title: 'home.md/x', content: 'a' })).toEqual(git)
    expect(titles((await as(guest).get(base)).body)).toHaveLength(3)
  })

  it('refuses names that lead out of the wiki', async () => {
    expect((await write(base, { title: '../../up/./here', content: 'a' })).slug).toBe('up/here')
    expect((await write(base, { title: '.hidden', content: 'a' })).slug).toBe('.hidden')
    expect((await write(base, { title: 'v1.2.md', content: 'a' })).slug).toBe('v1.2.md')
    expect((await write(base, { title: 'a'.repeat(245), content: 'a' })).slug).toHaveLength(245)
    for (const slug of ['up/here', '.hidden', 'v1.2.md', 'a'.repeat(245)])
      expect((await as(developer).delete(at(base, slug))).status).toBe(204)
  })

  it('changes pages and keeps their history', async () => {
    const made = await write(base, { title: 'notes/Plan', content: 'one' })
    expect(made.slug).toBe('notes/Plan')
    const put = async (slug: string, params: object) => {
      const { status, body } = await as(developer).put(at(base, slug), params)
      return status === 200 ? body : [status, body]
    }
    expect(await put('notes/Plan', {})).toEqual([
      400,
      { error: 'content, title, format are missing, at least one parameter must be provided' },
    ])
    expect(await put('notes/Plan', { content: 'two' })).toMatchObject({ slug: 'notes/Plan', content: 'two' })
    // A title without a slash stays in its folder. A title with one is the whole path, from the root if it starts with a slash.
    expect(await put('notes/Plan', { title: 'Big plan' })).toMatchObject({
      slug: 'notes/Big-plan',
      title: 'Big plan',
      content: 'two',
    })
    expect((await put('notes/Big-plan', { title: 'Big plan', content: 'three' })).slug).toBe('notes/Big-plan')
    expect((await put('notes/Big-plan', { title: 'other/plan' })).slug).toBe('other/plan')
    expect((await put('other/plan', { title: '/plan' })).slug).toBe('plan')
    expect(await put('plan', { title: 'PLAN', format: 'rdoc' })).toMatchObject({
      slug: 'PLAN',
      format: 'rdoc',
    })
    expect(await put('PLAN', { title: 'home' })).toEqual([
      400,
      { message: { title: ['There is already a page with the same title in that path.'] } },
    ])
    expect(await put('PLAN', { title: ' ' })).toEqual([400, { message: { title: ["can't be blank"] } }])
    const versions = await as(guest).get(`/-${at(base, 'PLAN')}/versions`)
    // Newest first: renamed with another format, renamed twice, changed and renamed, changed, created.
    expect(versions.body.map((version: { message: string }) => version.message)).toEqual([
      'developer updated page: PLAN',
      'developer updated page: plan',
      'developer updated page: other/plan',
      'developer updated page: notes/Big plan',
      'developer updated page: notes/Big plan',
      'developer updated page: notes/Plan',
      'developer created page: notes/Plan',
    ])
    const first = versions.body.at(-1)
    const old = await as(guest).get(`${at(base, 'PLAN')}?version=${first.id}`)
    expect(old.body).toMatchObject({ content: 'one', slug: 'notes/Plan', format: 'markdown' })
    expect((await as(guest).get(`${at(base, 'notes/Plan')}?version=${first.id}`)).body.content).toBe('one')
    for (const version of ['f'.repeat(40), 'nonsense', '--all', 'HEAD~100'])
      expect((await as(guest).get(`${at(base, 'PLAN')}?version=${version}`)).body).toEqual({
        message: '404 Wiki Page Not Found',
      })
    expect((await as(guest).get(at(base, 'notes/Plan'))).status).toBe(404)
  })

  it('publishes changes once, and nothing for requests without a change', async () => {
    const received = watchEvents(w, 'wiki_page.changed')
    const page = await write(base, { title: 'event', content: 'a' })
    await as(developer).put(at(base, 'event'), { content: page.content, title: 'event' })
    await as(developer).put(at(base, 'event'), { title: 'events' })
    await as(developer).delete(at(base, 'events'))
    expect(received.map(({ action, slug }) => [action, slug])).toEqual([
      ['created', 'event'],
      ['updated', 'events'],
      ['deleted', 'events'],
    ])
    expect(new Set(received.map((event) => event['wiki_page_id'])).size).toBe(1)
    expect(received[0]).toMatchObject({ [`${owner}_id`]: owner === 'project' ? project.id : group.id })
    expect(received[1]!['previous_commit']).toBe(received[0]!['commit'])
  })

  it('accepts file uploads', async () => {
    const form = fileBody('ein Bild (1).png', 'PNG')
    const { status, body } = await as(developer).post(`${base}/attachments`, form)
    expect(status).toBe(201)
    expect(body.file_name).toBe('ein_Bild__1_.png')
    expect(body.file_path).toMatch(/^uploads\/[0-9a-f]{32}\/ein_Bild__1_\.png$/)
    expect(body.branch).toBe('main')
    expect(body.link).toEqual({ url: body.file_path, markdown: `![ein_Bild__1_](${body.file_path})` })
    const text = await as(developer).post(`${base}/attachments`, fileBody(`${'x'.repeat(300)}.txt`, 'hello'))
    expect(text.body.file_name).toBe(`${'x'.repeat(251)}.txt`)
    expect(text.body.link.markdown).toBe(`[${text.body.file_name}](${text.body.file_path})`)
    const elsewhere = await as(developer).post(
      `${base}/attachments`,
      fileBody('a.txt', 'a', { branch: 'no' }),
    )
    expect([elsewhere.status, elsewhere.body]).toEqual([
      400,
      { message: 'You can only create or edit files when you are on a branch' },
    ])
    expect((await as(developer).post(`${base}/attachments`, {})).body).toEqual({ error: 'file is missing' })
    expect((await as(reporter).post(`${base}/attachments`, fileBody('a.txt', 'a'))).status).toBe(403)
    const path = `!/${owner === 'group' ? 'groups/' : ''}${owner === 'group' ? group.full_path : project.path_with_namespace}/-/wikis`
    const raw = await as(guest).get(`${path}/${body.file_path}`)
    expect([raw.status, raw.text]).toEqual([200, 'PNG'])
    expect(raw.headers.get('content-type')).toBe('image/png')
    expect(raw.headers.get('content-security-policy')).toContain('sandbox')
    expect((await as(guest).get(`${path}/uploads/${'0'.repeat(32)}/a.png`)).status).toBe(404)
    expect((await as(stranger).get(`${path}/${body.file_path}`)).status).toBe(404)
  })

  it('is written by developers and read by guests', async () => {
    for (const user of [guest, reporter]) {
      expect((await as(user).get(at(base, 'home'))).status).toBe(200)
      const refused = await as(user).post(base, { title: 'x', content: 'x' })
      expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
      expect((await as(user).put(at(base, 'home'), { content: 'x' })).status).toBe(403)
      expect((await as(user).delete(at(base, 'home'))).status).toBe(403)
    }
    for (const user of [stranger, null]) {
      expect((await as(user).get(base)).status).toBe(404)
      expect((await as(user).get(at(base, 'home'))).status).toBe(404)
    }
    expect((await as(stranger).post(base, { title: 'x', content: 'x' })).status).toBe(404)
  })

  it('loses no page in concurrent writes', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `race/${index}`)
    const answers = await Promise.all(
      names.map((title) => as(developer).post(base, { title, content: title })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(names.map(() => 201))
    const same = await Promise.all(
      ['a', 'b', 'c'].map((content) => as(developer).put(at(base, 'race/0'), { content })),
    )
    expect(same.map((answer) => answer.status)).toEqual([200, 200, 200])
    const posted = await Promise.all(
      [1, 2, 3].map(() => as(developer).post(base, { title: 'race/page', content: 'x' })),
    )
    expect(posted.map((answer) => answer.status).toSorted()).toEqual([201, 400, 400])
    const listed = (await as(guest).get(base)).body.filter((page: { slug: string }) =>
      page.slug.startsWith('race/'),
    )
    expect(listed).toHaveLength(9)
  })
})
