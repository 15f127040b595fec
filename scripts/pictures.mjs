// Renews the pictures of the guide and of the README: starts an instance on a scratch folder, fills it through the API, and
// photographs its window with the installed Chromium; then the application on the stand-in for Electron.
import './lib/node.mjs'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { findBrowser } from './lib/browser.mjs'
import { root } from './lib/node.mjs'
import { ensureBuildApart } from './lib/run.mjs'
import { photographShell } from './lib/shell-pictures.mjs'

const images = join(root, 'docs/guide/images')
const password = 'correct horse battery staple'
const token = 'pictures-owner-token'
const configuration = `stages: [build, test, deploy]
compile:
  stage: build
  script: [make]
unit:
  stage: test
  script: [make test]
lint:
  stage: test
  script: [make lint]
publish:
  stage: deploy
  when: manual
  script: [make publish]
`

/** The port in the texts of the guide, unless another program uses it. */
async function usualPort() {
  const server = createServer()
  const isFree = await new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(7080, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? '7080' : '0'
}

async function startInstance(folder) {
  const env = { ...process.env, DESKFORGE_ROOT_PASSWORD: password, DESKFORGE_ROOT_TOKEN: token }
  const args = [join(root, 'dist/server/cli.js'), 'serve', '--data-dir', folder, '--port', await usualPort()]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error('The instance ended.')))
    child.stdout.on('data', (chunk) => {
      const url = /https?:\/\/\S+/.exec(String(chunk))?.[0]
      if (url) resolve({ child, url: new URL(url).origin })
    })
  })
}

async function fill(url) {
  const send = async (method, path, body) => {
    const headers = { 'private-token': token, 'content-type': 'application/json' }
    const at = path.startsWith('/-/') ? path : `/api/v4${path}`
    const answer = await fetch(url + at, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? null : answer.json()
  }
  const post = (path, body) => send('POST', path, body)
  const { id } = await post('/projects', {
    name: 'tern',
    description: 'Tide tables for small harbours',
    initialize_with_readme: true,
  })
  const at = `/projects/${id}`
  const commit = (branch, message, files, start) =>
    post(`${at}/repository/commits`, {
      branch,
      commit_message: message,
      ...(start ? { start_branch: start } : {}),
      actions: Object.entries(files).map(([path, content]) => ({
        action: path === 'README.md' ? 'update' : 'create',
        file_path: path,
        content,
      })),
    })
  await commit('main', 'Read gauges', {
    'README.md':
      '# tern\n\nTide tables for small harbours. Give it a gauge and a day; it says when the bar is open.\n',
    'src/gauge.rs': 'pub struct Gauge {\n    pub name: String,\n}\n',
    'src/tide.rs': 'pub fn height(hours: f64) -> f64 {\n    1.8 * (hours / 12.42).cos()\n}\n',
    '.gitlab-ci.yml': configuration,
  })
  for (const [name, color] of [
    ['bug', '#d9534f'],
    ['docs', '#5cb85c'],
    ['doing', '#3178a8'],
    ['review', '#8e44ad'],
  ])
    await post(`${at}/labels`, { name, color })
  const issues = [
    ['The tide turns too early at two gauges', 'bug'],
    ['Explain how gauges are read', 'docs'],
    ['Tables for next year', 'doing'],
    ['Export all columns to CSV', 'review,docs'],
    ['Slow start with many gauges', 'bug,doing'],
  ]
  for (const [title, labels] of issues) await post(`${at}/issues`, { title, labels, assignee_ids: [1] })
  const board = await post(`${at}/boards`, { name: 'Work' })
  const known = await send('GET', `${at}/labels`)
  for (const name of ['doing', 'review'])
    await post(`${at}/boards/${board.id}/lists`, { label_id: known.find((one) => one.name === name).id })
  await commit(
    'slack-water',
    'Count slack water as open',
    {
      'src/bar.rs': 'pub fn is_open(height: f64, draught: f64) -> bool {\n    height >= draught\n}\n',
    },
    'main',
  )
  const { iid } = await post(`${at}/merge_requests`, {
    source_branch: 'slack-water',
    target_branch: 'main',
    title: 'Count slack water as open',
    description:
      'At slack water the bar is passable. Closes #1\n\n- [x] read both gauges\n- [ ] ask the harbour',
    labels: 'bug',
    assignee_ids: [1],
  })
  await post(`${at}/merge_requests/${iid}/notes`, { body: 'Both gauges agree now.' })
  const [pipeline] = await send('GET', `${at}/pipelines`)
  // The inspector has this one request, with its hint.
  await send('PUT', '/-/workbench/inspector', { recording: true })
  await post(`${at}/labels`, { name: 'harbour', color: '#5cb85c', colour: 'green' })
  return { iid, pipeline: pipeline.id }
}

async function photograph(url, { iid, pipeline }) {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath: findBrowser(), args })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const signIn = await page.request.post(`${url}/-/session`, {
    data: { login: 'root', password },
    headers: { origin: url },
  })
  const { csrf_token: csrf } = await signIn.json()
  await page.goto(`${url}/-/health`)
  await page.evaluate((kept) => localStorage.setItem('deskforge.page', kept), csrf)
  // A view is loaded after the frame around it, so a quiet network does not mean that it is there.
  const take = async (path, shown, file) => {
    await page.goto(url + path)
    await page.getByText(shown).first().waitFor()
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: file, animations: 'disabled' })
    console.log(file)
  }
  // First, so that its list does not show the requests of the other pictures.
  await take('/-/workbench/inspector/1', 'Parameters ignored.', join(images, 'inspector.png'))
  const project = '/root/tern'
  await take(project, 'Give it a gauge and a day', join(images, 'project.png'))
  const request = `${project}/-/merge_requests/${iid}`
  for (const file of [join(images, 'merge-request.png'), join(root, 'docs/window.png')])
    await take(request, 'Both gauges agree now.', file)
  await take(`${project}/-/boards`, 'Export all columns to CSV', join(images, 'board.png'))
  await take(
    `${project}/-/pipelines/${pipeline}`,
    'Waiting for a matching runner.',
    join(images, 'pipeline.png'),
  )
  await browser.close()
}

if (!findBrowser()) throw new Error('Pictures need Chromium. Install it, or name it in DESKFORGE_CHROMIUM.')
ensureBuildApart()
mkdirSync(images, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'deskforge-pictures-'))
const { child, url } = await startInstance(folder)
try {
  await photograph(url, await fill(url))
} finally {
  child.removeAllListeners('exit')
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('close', resolve))
  rmSync(folder, { recursive: true, force: true })
}
await photographShell(images, { DESKFORGE_ROOT_PASSWORD: password, DESKFORGE_ROOT_TOKEN: token })
