import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { workTree } from './support/work-tree.ts'
import { everyView, goTo, show } from './support/views.ts'

/** The views with the most content: texts, images, colors, dialogs, live lists. */
const busy = new Set([
  'home',
  'overview',
  'file',
  'edit',
  'document',
  'commit',
  'branches',
  'tokens',
  'instance settings',
])

/** A README with every kind of link to other hosts. */
const farReadme = `# far

![badge](https://badges.example.com/build.svg) <img src="//pictures.example.com/a.png" alt="a picture">
<script src="https://scripts.example.com/a.js"></script>
<link rel="stylesheet" href="https://styles.example.com/a.css">
<iframe src="https://frames.example.com/"></iframe>
<p style="background: url(https://styles.example.com/b.png)">words</p>

[a link](https://example.com/)
`

test('no view sends a request to another host, or violates its content security policy', async ({
  view,
  instance,
}) => {
  const far: string[] = []
  const complaints: string[] = []
  view.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== instance.url && !['data:', 'blob:'].includes(protocol)) far.push(request.url())
  })
  view.on('pageerror', (error) => complaints.push(String(error)))
  view.on('console', (message) => {
    const missing = /status of 404/.test(message.text())
    if (message.type() === 'error' && !missing) complaints.push(message.text())
  })

  const app = new App(view, instance)
  const views = (await everyView(instance)).filter((view) => busy.has(view.name))
  await instance.api('POST', '/projects', { name: 'far' })
  const tree = await workTree(instance, 'root/far')
  await tree.commit('Point elsewhere', { 'README.md': farReadme })
  await tree.push('main')

  await app.enter('/')
  expect(views).toHaveLength(busy.size)
  for (const view of views) await test.step(view.name, () => show(app, view))
  await app.open('/root/far')
  const readme = view.getByRole('region', { name: 'README' })
  await expect(readme).toContainText('words')
  await expect(readme.getByRole('link', { name: 'a link' })).toHaveAttribute('rel', /noopener/)
  await expect(readme.locator('script, iframe, link, img')).toHaveCount(0)

  expect(far).toEqual([])
  expect(complaints).toEqual([])
})

test('no view logs a failed request', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const views = (await everyView(instance)).filter(({ name }) => name !== 'nothing')
  const complaints: string[] = []
  let shown = ''
  view.on('response', (answer) => {
    if (answer.status() >= 400)
      complaints.push(`${shown}: ${answer.status()} ${answer.request().method()} ${answer.url()}`)
  })
  view.on('pageerror', (error) => complaints.push(`${shown}: ${String(error)}`))
  view.on('console', (message) => {
    // The message of the browser about a failed request has no more than its URL and status.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) complaints.push(`${shown}: ${message.text()}`)
  })
  await app.enter('/')
  await expect(app.heading('Home')).toBeVisible()
  for (const view of views) {
    shown = view.name
    await test.step(view.name, () => goTo(app, view))
  }
  expect(complaints).toEqual([])
})
