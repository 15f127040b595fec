import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { App } from './pages/app.ts'
import { replaceText } from './pages/editor.ts'
import { shellOf, type Shell } from './support/terminal.ts'
import { expect, owner, test, type Instance } from './support/instance.ts'
import { cleanEnv } from '../support/server-process.ts'
import { walk } from '../support/guide.ts'

const envOf = ({ url }: Instance) => ({
  URL: url,
  TOKEN: owner.token,
  DESKFORGE_URL: url,
  DESKFORGE_TOKEN: owner.token,
})

/** The lines of a block, without comments. */
const linesOf = (block: string) =>
  block
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))

/** Starts a temporary instance with a command of the page, calls `use` with its output, and stops it by its input. */
async function withTemporary(
  shell: Shell,
  command: string,
  use: (ready: { url: string; token: string }) => Promise<void>,
): Promise<void> {
  const env = cleanEnv({ PATH: `${shell.bin}:${process.env['PATH']}`, DESKFORGE_EPHEMERAL_DIR: shell.folder })
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: shell.folder,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  try {
    const line = String(((await once(child.stdout, 'data')) as [Buffer])[0])
    await use(JSON.parse(line) as { url: string; token: string })
  } finally {
    child.stdin.end()
    await ended
  }
}

test('workbench.md: an instance for a test suite', async ({ instance }) => {
  const shell = shellOf(instance.dataDir)
  const page = walk('guide/workbench', { sections: ['An instance for a test suite'] })
  const [command = '', printed = ''] = linesOf(page.block('deskforge serve --ephemeral'))
  await withTemporary(shell, command, async (ready) => {
    expect(Object.keys(ready)).toEqual(Object.keys(JSON.parse(printed) as object))
    const headers = { 'private-token': ready.token }
    const user = await fetch(`${ready.url}/api/v4/user`, { headers })
    expect(await user.json()).toMatchObject({ username: 'root', is_admin: true })
  })
  const script = `import { spawn } from 'node:child_process'
import { once } from 'node:events'
${page.block('spawn(')}
const answer = await fetch(url + '/api/v4/version', { headers: { 'private-token': token } })
console.log(answer.status)
instance.stdin.end()
`
  writeFileSync(join(shell.folder, 'suite.mjs'), script)
  const env = { DESKFORGE_EPHEMERAL_DIR: shell.folder }
  expect(await shell.run(`'${process.execPath}' suite.mjs`, { env })).toBe('200\n')
  page.done()
})

test('workbench.md: snapshots and the clock', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  const page = walk('guide/workbench', { sections: ['The workbench', 'Snapshots', 'The clock'] })
  const env = envOf(instance)
  const projects = async () =>
    (await instance.api<{ name: string }[]>('GET', '/projects')).map(({ name }) => name)
  await instance.api('POST', '/projects', { name: 'kept' })
  const [save = '', restore = '', list = '', remove = ''] = linesOf(page.block('deskforge snapshot save'))
  await shell.run(save, { env })
  await instance.api('POST', '/projects', { name: 'lost' })
  await shell.run(restore, { env })
  expect(await projects()).toEqual(['kept'])
  expect(await shell.run(list, { env })).toContain('clean')
  await shell.run(remove, { env })
  const [saveByHttp = '', restoreByHttp = ''] = linesOf(page.block('curl -X POST'))
  await shell.run(saveByHttp, { env })
  await instance.api('POST', '/projects', { name: 'lost' })
  await shell.run(restoreByHttp, { env })
  expect(await projects()).toEqual(['kept'])

  await app.enter('/')
  await app.entry(page.name('Workbench')).click()
  await expect(app.heading('Inspector')).toBeVisible()
  const clock = linesOf(page.block('deskforge clock'))
  const temporary = clock.pop() ?? ''
  const outputs: string[] = []
  for (const command of clock) {
    outputs.push(await shell.run(command, { env }))
    // The page is checked before the clock jumps, because the jump ends the session of this window.
    if (command.endsWith('freeze'))
      await expect(view.getByText(/^The clock of this instance stands still/)).toBeVisible()
  }
  expect(outputs.join('')).toContain('2027-02-03')
  await shell.run('deskforge clock run --real', { env })
  await withTemporary(shell, temporary, async ({ url, token }) => {
    const answer = await fetch(`${url}/-/workbench/clock`, { headers: { 'private-token': token } })
    expect(await answer.text()).toContain('2024-01-01T00:00:00')
  })
  page.done()
})

test('workbench.md: worlds', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  const page = walk('guide/workbench', { sections: ['Worlds', 'Saving an instance as a world'] })
  const env = envOf(instance)
  const world = page.block('users:')
  writeFileSync(join(shell.folder, 'world.yaml'), world)
  const [serve = '', ...commands] = linesOf(page.block('deskforge world apply'))
  await withTemporary(shell, serve, async ({ url, token }) => {
    const answer = await fetch(`${url}/api/v4/projects/acme%2Fshop/releases`, {
      headers: { 'private-token': token },
    })
    expect(await answer.json()).toMatchObject([{ tag_name: 'v1.0', description: 'The first one.' }])
  })
  for (const command of commands) await shell.run(command, { env })
  const get = <Answer>(path: string) => instance.api<Answer>('GET', `/projects/acme%2Fshop${path}`)
  expect(await get('/merge_requests')).toMatchObject([{ title: 'Round once', state: 'merged' }])
  expect(await get('/issues')).toMatchObject([{ title: 'A cent is missing', labels: ['bug'] }])
  expect(await get('/pipelines?ref=main&status=failed')).toHaveLength(1)
  for (const command of linesOf(page.block('--data-binary')))
    expect(await shell.run(`${command} -sS --fail-with-body`, { env })).not.toContain('"error"')

  await shell.run(page.block('worlds/current'), { env })
  for (const file of ['instance.yaml', 'shop.yaml'])
    expect(readFileSync(join(shell.folder, file), 'utf8')).toContain('path: acme/shop')

  await app.enter('/-/workbench')
  await view.getByRole('link', { name: page.name('Worlds') }).click()
  const saved = app.fetched(view.getByRole('button', { name: page.name('Save this instance') }))
  expect((await saved).toString()).toContain('path: acme/shop')
  const editor = view.getByRole('textbox', { name: /^Text of the world/ })
  await replaceText(editor, world)
  await view.getByRole('button', { name: 'Check' }).click()
  await expect(view.getByText('The world is valid')).toBeVisible()
  await view.getByLabel('Examples').selectOption('A small team')
  await expect(editor).toContainText('title: A small team')
  page.done()
})

test('workbench.md: the inspector', async ({ view, instance }) => {
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  const page = walk('guide/workbench', {
    sections: ['Inspector', 'Hints', 'Without the window'],
    values: { 'http://127.0.0.1:7080': instance.url },
  })
  await app.enter('/')
  await app.entry(page.name('Workbench')).click()
  await view
    .getByRole('link', { name: page.name('Inspector') })
    .first()
    .click()
  await view.getByRole('button', { name: page.name('Switch on') }).click()
  await expect(view.getByText(page.name('Keep on disk')).first()).toBeVisible()
  const answer = await fetch(`${instance.url}/api/v4/projects`, {
    method: 'POST',
    headers: { 'private-token': owner.token, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'tern', colour: 'white' }),
  })
  const env = { TOKEN: owner.token, REQUEST_ID: answer.headers.get('x-request-id') ?? '' }
  const row = view.getByRole('list', { name: 'requests' }).getByRole('listitem').filter({ hasText: 'POST' })
  await row.getByRole('link').click()
  for (const name of page.names('Time', 'What followed'))
    await expect(view.getByRole('region', { name: new RegExp(`^${name}`) })).toBeVisible()
  await expect(view.getByText(page.name('Parameters ignored')).first()).toBeVisible()
  await view.getByRole('button', { name: page.name('Copy as') }).click()
  await expect(view.getByRole('menuitem')).toHaveText(['curl', 'python-gitlab', 'gitbeaker', 'Go'])
  await view.keyboard.press('Escape')
  await view.getByRole('button', { name: page.name('Send again…') }).click()
  const dialog = view.getByRole('dialog', { name: 'Send again' })
  for (const label of ['Method', 'Path and query', 'Body'])
    await expect(dialog.getByLabel(label)).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(view.getByRole('button', { name: new RegExp(`^${page.name('Compare')}`) })).toBeVisible()
  await app.open('/-/workbench/inspector')
  await expect(view.getByRole('link', { name: page.name('HAR file') })).toBeVisible()
  const hints = page.names(
    'Deprecated',
    'Pages not followed',
    '404 instead of 403',
    'Many single reads',
    'No If-None-Match',
  )
  await view.getByRole('button', { name: 'Hints' }).click()
  for (const hint of hints) await expect(view.getByRole('option', { name: hint })).toBeVisible()

  const [on = '', list = '', detail = '', har = ''] = linesOf(page.block('recording=true'))
  await shell.run(on, { env })
  expect(await shell.run(list, { env })).toContain('ignored_parameters')
  expect(await shell.run(detail, { env })).toContain('"colour"')
  await shell.run(har, { env })
  expect(JSON.parse(readFileSync(join(shell.folder, 'run.har'), 'utf8'))).toMatchObject({
    log: { version: '1.2' },
  })
  page.done()
})
