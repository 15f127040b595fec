import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { workTree } from './support/work-tree.ts'
import { everyView, goTo, show } from './support/views.ts'

/** The views that bring most with them: texts, pictures, colours, dialogs, live lists. */
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

/** Everything a read-me may point at elsewhere. */
const farReadme = `# far

![badge](https://badges.example.com/build.svg) <img src="//pictures.example.com/a.png" alt="a picture">
<script src="https://scripts.example.com/a.js"></script>
<link rel="stylesheet" href="https://styles.example.com/a.css">
<iframe src="https://frames.example.com/"></iframe>
<p style="background: url(https://styles.example.com/b.png)">words</p>

[a link](https://example.com/)
`

test('no view asks another host for anything, nor breaks its own policy', async ({ view, instance }) => {
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
  const views = (await everyView(instance)).filter((one) => busy.has(one.name))
  await instance.api('POST', '/projects', { name: 'far' })
  const tree = await workTree(instance, 'root/far')
  await tree.commit('Point elsewhere', { 'README.md': farReadme })
  await tree.push('main')

  await app.enter('/')
  expect(views).toHaveLength(busy.size)
  for (const one of views) await test.step(one.name, () => show(app, one))
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
    // The browser's own message about an answer has no more than the answer.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) complaints.push(`${shown}: ${message.text()}`)
  })
  await app.enter('/')
  await expect(app.heading('Home')).toBeVisible()
  for (const one of views) {
    shown = one.name
    await test.step(one.name, () => goTo(app, one))
  }
  expect(complaints).toEqual([])
})
