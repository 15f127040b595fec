import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { App } from './pages/app.ts'
import { SettingsPage } from './pages/settings.ts'
import { examples, findClient, shellOf } from './support/terminal.ts'
import { expect, owner, test, type Instance } from './support/instance.ts'
import { walk, type Walk } from '../support/guide.ts'

const TOKEN = { TOKEN: owner.token }
const NEEDED = 'is neither on the path nor in DESKFORGE_TEST_CLIENTS'

const makeTern = async (instance: Instance) => {
  await instance.api('POST', '/projects', { name: 'tern' })
  await instance.api('POST', '/projects/root%2Ftern/issues', { title: 'The tide turns too early' })
}
const pageOf = (instance: Instance): Walk => walk('guide/api', { values: examples(instance, 'root/tern') })
const pathWith = (program: string) => `${dirname(program)}:${process.env['PATH']}`

test('api.md: the reference, a token, curl, and webhooks to this network', async ({ view, instance }) => {
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  await makeTern(instance)
  const page = pageOf(instance)
  await app.enter('/')
  await view.getByRole('button', { name: /^You: / }).click()
  await view.getByRole('menuitem', { name: page.name('Help') }).click()
  await expect(view.getByRole('link', { name: new RegExp(`^${page.name('API')}(?! and)`) })).toHaveAttribute(
    'href',
    '/-/docs',
  )
  await app.open('/-/docs')
  await expect(view.getByRole('main', { name: /^API documentation/ })).toBeVisible()
  await app.open('/')
  await app.entry(page.name('Settings')).click()
  const settings = view.getByRole('navigation', { name: 'Settings' })
  await settings.getByRole('link', { name: page.name('Access tokens') }).click()
  await expect(app.heading('Access tokens')).toBeVisible()
  const listed = JSON.parse(await shell.run(page.block('curl -H'), { env: TOKEN })) as { path: string }[]
  expect(listed.map(({ path }) => path)).toEqual(['tern'])

  await settings.getByRole('link', { name: page.name('General') }).click()
  const form = new SettingsPage(view)
  page.quote('Network')
  await expect(form.row('allow_local_requests_from_web_hooks_and_services').first()).toBeAttached()
  await app.open('/root/tern/-/settings/general')
  await view
    .getByRole('navigation', { name: 'Project settings' })
    .getByRole('link', { name: page.name('Webhooks') })
    .click()
  await expect(app.heading('Webhooks')).toBeVisible()
  // The walks below use these with the real clients.
  for (const part of ['import gitlab', 'gitlab --server-url', 'glab auth login']) page.block(part)
  page.done()
})

test('api.md: python-gitlab, as a module and on the command line', async ({ instance }) => {
  const program = findClient('gitlab')
  test.skip(!program, `gitlab of python-gitlab ${NEEDED}`)
  const shell = shellOf(instance.dataDir)
  await makeTern(instance)
  const page = pageOf(instance)
  const env = { ...TOKEN, PATH: pathWith(program as string) }
  writeFileSync(join(shell.folder, 'list.py'), page.block('import gitlab'))
  expect(await shell.run('python3 list.py', { env })).toBe('root/tern\n')
  expect(await shell.run(page.block('gitlab --server-url'), { env })).toMatch(/^id: 1$/m)
})

test('api.md: glab signs in once and lists issues', async ({ instance }) => {
  const program = findClient('glab')
  test.skip(!program, `glab ${NEEDED}`)
  const shell = shellOf(instance.dataDir)
  await makeTern(instance)
  const env = {
    ...TOKEN,
    PATH: pathWith(program as string),
    GLAB_CHECK_UPDATE: 'false',
    GLAB_SEND_TELEMETRY: 'false',
  }
  expect(await shell.run(pageOf(instance).block('glab auth login'), { env })).toContain(
    'The tide turns too early',
  )
})
