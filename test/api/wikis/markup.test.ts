import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const here = await world()
const owner = here.make.user()
const guest = here.make.user()
const stranger = here.make.user()
const project = await here.make.project({ owner, path: 'rendered', visibility: 'public' })
const group = await here.make.group({ owner, path: 'teams' })
await here.make.member('projects', project.id, guest, 10)
const issue = await here.as(owner).post(`/projects/${project.id}/issues`, { title: 'Leak' })
const base = `/${project.path_with_namespace}/-/wikis`

const preview = async (body: object, at = `/-/projects/${project.id}/wikis/preview`) =>
  here.as(owner).post(at, body)

it('the preview shows a page as it will be', async () => {
  const { status, body } = await preview({
    content: '---\ntitle: x\n---\n[[Other page]] [a](./b.md) #1 @nobody',
    slug: 'guide/start',
  })
  expect(status).toBe(200)
  expect(body.html).toContain(`<a href="${base}/Other-page">Other page</a> <a href="${base}/guide/b">a</a>`)
  expect(body.html).toMatch(new RegExp(`<a href="[^"]+/issues/${issue.body.iid}" class="gfm gfm-issue"`))
  expect(body.html).not.toContain('title: x')
})

it('links in group wikis lead into the wiki of the group', async () => {
  const { body } = await preview({ content: '[[a]]' }, `/-/groups/${group.id}/wikis/preview`)
  expect(body.html).toBe('<p><a href="/groups/teams/-/wikis/a">a</a></p>\n')
})

it.each([
  ['asciidoc', '== A\n\n*b*', '<strong>b</strong>'],
  ['org', '* A\n/b/', '<em>b</em>'],
  ['rdoc', '= A\n+b+', '<code>b</code>'],
])('%s is rendered', async (format, content, expected) => {
  const { status, body } = await preview({ content, format })
  expect([status, body.html]).toEqual([200, expect.stringContaining(expected)])
})

it('the preview is limited to users who may write', async () => {
  const at = `/-/projects/${project.id}/wikis/preview`
  expect((await here.as(guest).post(at, { content: 'a' })).status).toBe(403)
  expect((await here.as(stranger).post(at, { content: 'a' })).status).toBe(403)
  expect((await here.as(null).post(at, { content: 'a' })).status).toBe(401)
  expect((await preview({})).body).toEqual({ error: 'content is missing' })
  expect((await preview({ content: 'a', format: 'textile' })).body).toEqual({
    error: 'format does not have a valid value',
  })
})

it('a long page does not block other requests', async () => {
  const content = '# A\n\nwords *of* a [[page]] and #1, and more of them\n\n'.repeat(3000)
  let isDone = false
  const rendered = preview({ content }).finally(() => (isDone = true))
  let answered = 0
  while (!isDone) {
    await here.as(null).get('/-/liveness')
    answered++
  }
  const { status, body } = await rendered
  expect(status).toBe(200)
  expect(
    body.html.startsWith(`<h1 id="user-content-a">A</h1>\n<p>words <em>of</em> a <a href="${base}/page">`),
  ).toBe(true)
  // A blocked server would answer the first of them after the page, and no other.
  expect(answered).toBeGreaterThan(3)
})

it('a text with errors in its format is shown as written', async () => {
  const content = `${'* '.repeat(10)}<b>\n`.repeat(50_000)
  const { status, body } = await preview({ content, format: 'asciidoc' })
  expect([status, body.html.slice(0, 10)]).toEqual([200, '<pre>* * *'])
})

it('files of repositories are rendered in the same formats', async () => {
  const { status, body } = await here
    .as(null)
    .post('/-/markup', { text: '* A\n[[./b.org][b]]', format: 'org' })
  expect([status, body.html]).toEqual([
    200,
    '<h1 id="user-content-a">A</h1>\n<p><a href="./b.org">b</a></p>\n',
  ])
  const large = await here.as(null).post('/-/markup', { text: 'a'.repeat(70_000), format: 'org' })
  expect(large.status).toBe(401)
})
