import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'
import {
  answerBoxes,
  ask,
  copied,
  opened,
  pressTray,
  startJob,
  trayLabels,
  trayToolTip,
  windowCount,
} from '../press.ts'

test.skip(isReal, 'Electron does not let a program read the menu of a tray')

/** Moves the pointer over the icon and returns the labels. Without the pointer, they change within seconds. */
async function labelsNow(desktop: Desktop): Promise<string[]> {
  await desktop.evaluate(({ Tray }) => {
    const { all } = Tray as unknown as { all: { emit(name: string): void }[] }
    all[0]?.emit('mouse-enter')
  })
  return trayLabels(desktop)
}

test('a start at login shows only the tray, which opens the window, copies the address and quits', async ({
  start,
}) => {
  const desktop = await start({ env: owner, args: ['--hidden'] })
  await expect.poll(() => trayLabels(desktop)).toContain('Open Deskforge')
  expect(await windowCount(desktop)).toBe(0)
  await pressTray(desktop, 'Copy Address')
  const address = await copied(desktop)
  expect(await trayLabels(desktop)).toContain(`Running at ${address}`)
  expect((await fetch(`${address}/-/readiness`)).status).toBe(200)
  await pressTray(desktop, 'Open Deskforge')
  const page = await opened(desktop)
  expect(new URL(page.url()).origin).toBe(address)
  await pressTray(desktop, 'Quit').catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('the tray names the running job and the pipeline that failed, and quits without waiting', async ({
  start,
}) => {
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await ask(origin, 'POST', '/projects', { name: 'plover', initialize_with_readme: true })
  await ask(origin, 'POST', '/projects/root%2Fplover/repository/files/.gitlab-ci.yml', {
    branch: 'main',
    content: 'check: { script: [exit 1], rules: [ { if: $NOWHERE, when: never } ] \n',
    commit_message: 'Broken',
  })
  const endJob = await startJob(origin)
  await expect
    .poll(() => trayLabels(desktop))
    .toEqual(
      expect.arrayContaining(['1 job is running', '   slow in root/busy', 'Failed: root/plover (main)']),
    )
  expect(await trayToolTip(desktop)).toBe(`Deskforge: Running at ${origin}, 1 running, 1 failed`)
  await pressTray(desktop, 'Failed')
  await expect(page).toHaveURL(/\/root\/plover\/-\/pipelines\/\d+$/)
  await endJob()
  await expect.poll(() => labelsNow(desktop)).toContain('No jobs are running')
  expect(await trayToolTip(desktop)).toBe(`Deskforge: Running at ${origin}, 1 failed`)

  await startJob(origin, 'late')
  await answerBoxes(desktop, 1)
  await pressTray(desktop, 'Quit').catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('the tray lists recent projects and pauses the runner', async ({ desktop }) => {
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await ask(origin, 'POST', '/projects', { name: 'heron', initialize_with_readme: true })
  await page.goto(`${origin}/root/heron`)
  await expect.poll(() => labelsNow(desktop)).toContain('heron')
  expect(await trayLabels(desktop)).not.toContain('Pause the Runner')
  await page.goto(`${origin}/-/runners/built_in`)
  await page.getByRole('button', { name: 'Turn on…' }).click()
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await expect.poll(() => labelsNow(desktop)).toContain('Pause the Runner')
  await pressTray(desktop, 'Pause the Runner')
  expect(await trayLabels(desktop)).toContain('Resume the Runner')
  expect(await trayToolTip(desktop)).toContain('runner paused')
  const runners = await ask<{ paused: boolean }[]>(origin, 'GET', '/runners/all')
  expect(runners.map((runner) => runner.paused)).toEqual([true])
  await pressTray(desktop, 'heron')
  await expect(page).toHaveURL(`${origin}/root/heron`)
})
