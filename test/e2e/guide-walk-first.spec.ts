import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { App } from './pages/app.ts'
import { EditorPage, replaceText } from './pages/editor.ts'
import { examples, shellOf } from './support/terminal.ts'
import { expect, owner, test, type Instance } from './support/instance.ts'
import { joins } from './support/people.ts'
import { startProcess } from '../support/server-process.ts'
import { walk } from '../support/guide.ts'

/** Creates a token on the page of the settings, and returns it. */
async function createToken(view: Page, name: string, scopes: readonly string[]): Promise<string> {
  await view.getByRole('button', { name: 'New token' }).first().click()
  const dialog = view.getByRole('dialog', { name: 'New access token' })
  await dialog.getByLabel('Name').fill(name)
  for (const scope of scopes) await dialog.getByRole('checkbox', { name: new RegExp(scope) }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(view.getByRole('heading', { name: `“${name}” is ready` })).toBeVisible()
  return (await view.locator('.cmd code').textContent()) ?? ''
}

const tipOf = async (instance: Instance, project: string, branch: string) =>
  (
    await instance.api<{ commit: { title: string } }>(
      'GET',
      `/projects/${encodeURIComponent(project)}/repository/branches/${branch}`,
    )
  ).commit.title

test('first-project.md: from nothing to pushed code and a commit in the window', async ({
  view,
  instance,
}) => {
  test.slow()
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  const page = walk('guide/first-project', { values: examples(instance, 'root/harbour') })

  await app.enter('/')
  await app.entry(page.name('Projects')).click()
  await view
    .getByRole('link', { name: page.name('New project') })
    .first()
    .click()
  const ways = view.getByRole('navigation', { name: 'Import from' }).getByRole('link')
  await expect(ways).toHaveText([
    ...page.names('Empty', 'Template', 'Folder', 'Exported file', 'URL', 'Code host', 'Code server'),
    'Your imports',
  ])
  await ways.getByText('Empty').click()
  await view.getByLabel('Name', { exact: true }).fill('Harbour')
  await view.getByLabel(page.name('Initialize with a README')).uncheck()
  await view.getByRole('button', { name: 'Create project' }).click()
  await expect(app.heading('Harbour')).toBeVisible()
  await expect(app.main).toContainText(`${instance.url}/root/harbour.git`)

  await app.entry(page.name('Settings')).click()
  await view
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: page.name('Access tokens') })
    .click()
  const scopes = [page.quote('read_repository'), page.quote('write_repository')]
  const login = { username: owner.username, password: await createToken(view, 'git', scopes) }

  // An existing repository.
  await shell.run(
    'git init -q -b main old && cd old && echo "# Harbour" > README.md && git add . && git commit -qm Begin && git branch gauges && git tag v1',
  )
  const old = join(shell.folder, 'old')
  await shell.run(page.block('git remote add deskforge'), { cwd: old, login })
  await app.open('/root/harbour')
  const about = view.getByRole('complementary', { name: 'About' })
  await expect(about).toContainText('2 branches')
  await expect(about).toContainText('1 tag')

  // The editor of a file commits to its branch or to a new one.
  const editor = new EditorPage(view)
  await app.open('/root/harbour/-/edit/main/README.md')
  await editor.append('\nOpen at night.')
  await editor.commit.click()
  await expect(view).toHaveURL(/\/-\/blob\/main\/README\.md$/)
  await app.open('/root/harbour/-/edit/main/README.md')
  await editor.append('\nClosed in fog.')
  await view.getByRole('radio', { name: 'New branch' }).check()
  await editor.newBranch.fill('fog')
  await editor.commit.click()
  await expect.poll(() => tipOf(instance, 'root/harbour', 'fog').catch(() => '')).toBe('Update README.md')

  // Several files in one commit. The changes are kept until then.
  await app.open('/root/harbour')
  await view.getByRole('button', { name: page.name('New'), exact: true }).click()
  await view.getByRole('menuitem', { name: page.name('Edit files') }).click()
  await view.getByRole('button', { name: 'New file' }).click()
  await view.getByLabel('File path').fill('docs/bar.md')
  await replaceText(view.getByRole('textbox', { name: /^Contents of / }), '# The bar\n')
  await view.reload()
  await expect(view.getByText('Your uncommitted changes were kept')).toBeVisible()
  await view.getByRole('radio', { name: /^Review changes/ }).click()
  await expect(view.locator('.dl.add').filter({ hasText: '# The bar' })).toBeVisible()
  await view.getByRole('textbox', { name: 'Commit message' }).fill('Describe the bar')
  await view.getByRole('button', { name: /^Commit/ }).click()
  await expect.poll(() => tipOf(instance, 'root/harbour', 'main')).toBe('Describe the bar')
  page.done()
})

test('git.md: clone over HTTP, push a folder, and what a refusal says', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'tern',
    initialize_with_readme: true,
  })
  const page = walk('guide/git', {
    sections: ['Git over HTTP and SSH', 'HTTP', 'For programs', 'When a push is refused'],
    values: examples(instance, 'root/tern'),
  })

  await app.enter('/root/tern')
  await expect(view.getByRole('heading', { name: page.name('Clone') })).toBeVisible()
  await view.getByRole('button', { name: 'More ways to clone' }).click()
  await expect(view.getByRole('menuitem')).toHaveText([
    'Copy git clone command',
    'Open in Visual Studio Code',
    'Open in IntelliJ IDEA',
  ])
  // The folder is a feature of the application, which has its own walk.
  page.name('Clone to folder')
  await view.keyboard.press('Escape')
  await app.entry(page.name('Settings')).click()
  const settings = view.getByRole('navigation', { name: 'Settings' })
  await settings.getByRole('link', { name: page.name('Access tokens') }).click()
  const login = {
    username: owner.username,
    password: await createToken(view, 'read', [page.quote('read_repository')]),
  }

  const clone = page.block('git clone http')
  await shell.run(clone, { login })
  const tree = join(shell.folder, 'tern')
  expect(readFileSync(join(tree, 'README.md'), 'utf8')).toContain('# tern')
  await shell.run(`mkdir again && cd again && ${clone}`, { login: owner })
  // A token for reading cannot push.
  await shell.run('git commit -q --allow-empty -m Empty', { cwd: tree })
  expect(await shell.refused('git push', { cwd: tree, login })).toMatch(/403|denied|not allowed/i)

  // Git stores the credentials, so it does not ask again.
  await shell.run(page.block('credential.helper'))
  const env = { GIT_TERMINAL_PROMPT: '0' }
  try {
    await shell.run('git fetch', { cwd: tree, login: owner })
    await shell.run('git push', { cwd: tree, env })
  } finally {
    await shell.run('git credential-cache exit && git config --global --unset credential.helper')
  }

  // The table of refusals.
  const wrong = { username: owner.username, password: 'not-a-token' }
  expect(await shell.refused(clone, { login: wrong, cwd: join(shell.folder, 'home') })).toContain(
    page.quote('HTTP Basic: Access denied'),
  )
  const ines = await joins(instance, id, 'Ines')
  await shell.run('git commit -q --allow-empty -m Mine', { cwd: tree })
  expect(await shell.refused('git push', { cwd: tree, login: ines })).toContain(
    page.quote('You are not allowed to push code to protected branches'),
  )
  await shell.run('git push origin HEAD:mine', { cwd: tree, login: ines })
  await instance.api('POST', `/projects/${id}/push_rule`, { commit_message_regex: 'TERN-\\d+' })
  await shell.run('git commit -q --allow-empty -m "No number"', { cwd: tree })
  const refused = await shell.refused('git push', { cwd: tree, login: owner })
  expect(refused).toContain(page.quote('pre-receive hook declined'))
  expect(refused).toContain('TERN-')

  // Tokens and keys without a user.
  await app.open('/root/tern/-/settings/general')
  const pages = view.getByRole('navigation', { name: 'Project settings' })
  for (const name of page.names('Deploy tokens', 'Deploy keys')) {
    await pages.getByRole('link', { name, exact: true }).click()
    await expect(app.heading(name)).toBeVisible()
  }
  page.done()
})

test('git.md: a folder that is not in git yet is pushed', async ({ view, instance }) => {
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  const page = walk('guide/git', {
    sections: ['Push a folder that is not in git yet'],
    values: { ...examples(instance, 'root/gull'), FOLDER: 'gull' },
  })
  await instance.api('POST', '/projects', { name: 'gull' })
  mkdirSync(join(shell.folder, 'gull'))
  writeFileSync(join(shell.folder, 'gull/README.md'), '# gull\n')
  await shell.run(page.block('git init'), { login: owner })
  await app.enter('/root/gull')
  await expect(view.getByRole('region', { name: 'README' })).toContainText('gull')
  page.done()
})

test('git.md: clone over SSH with a key of the profile', async ({ instance, browser, contextOptions }) => {
  const shell = shellOf(instance.dataDir)
  const { url, output, stop } = startProcess({
    args: ['--data-dir', join(shell.folder, 'data'), '--port', '0', '--ssh-port', '0'],
    env: { DESKFORGE_ROOT_PASSWORD: owner.password, DESKFORGE_ROOT_TOKEN: owner.token },
  })
  try {
    const own: Instance = { ...instance, url: await url }
    await expect.poll(() => output.stdout).toMatch(/^Git over SSH: /m)
    const port = /:(\d+)\/\n/.exec(output.stdout.slice(output.stdout.indexOf('Git over SSH')))?.[1] as string
    const page = walk('guide/git', {
      sections: ['SSH'],
      values: { ...examples(own, 'root/tern'), '127.0.0.1:2222': `127.0.0.1:${port}` },
    })
    await shell.run('ssh-keygen -q -t ed25519 -N "" -f key')
    const context = await browser.newContext({ ...contextOptions, baseURL: own.url })
    const app = new App(await context.newPage(), own)
    await app.enter('/')
    await app.entry(page.name('Settings')).click()
    await app.page
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: page.name('SSH keys') })
      .click()
    await app.page.getByRole('button', { name: 'New key' }).first().click()
    await app.page.getByLabel('Public key').fill(readFileSync(join(shell.folder, 'key.pub'), 'utf8'))
    await app.page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click()
    await expect(app.page.getByRole('dialog')).toHaveCount(0)
    await context.close()
    const made = await fetch(`${own.url}/api/v4/projects`, {
      method: 'POST',
      headers: { 'private-token': owner.token, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'tern', initialize_with_readme: true }),
    })
    expect(made.status).toBe(201)
    const ssh = `ssh -F none -i ${join(shell.folder, 'key')} -o IdentitiesOnly=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=${join(shell.folder, 'known')}`
    await shell.run(page.block('git clone ssh'), { env: { GIT_SSH_COMMAND: ssh } })
    page.quote('--ssh-port 2222')
    page.done()
  } finally {
    await stop()
  }
})
