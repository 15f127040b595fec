import type { Locator, Page } from '@playwright/test'

import { App } from './pages/app.ts'
import { MergeRequestPage } from './pages/merge-request.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

/** An image of one color, created by the browser, in base64. */
const picture = (view: Page, color: string, size = { width: 240, height: 120 }) =>
  view.evaluate(
    ([fill, { width, height }]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      const pen = canvas.getContext('2d')!
      pen.fillStyle = fill
      pen.fillRect(0, 0, width, height)
      return canvas.toDataURL('image/png').replace(/^.*,/, '')
    },
    [color, size] as const,
  )

/** The colors in the left and the right quarter of the comparison: `red`, `blue`, or `both` where they overlap. */
async function colors(view: Page, drawn: Locator): Promise<string[]> {
  const shot = (await drawn.screenshot({ animations: 'disabled' })).toString('base64')
  return view.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = Object.assign(document.createElement('canvas'), {
      width: image.width,
      height: image.height,
    })
    const pen = canvas.getContext('2d')!
    pen.drawImage(image, 0, 0)
    return [0.25, 0.75].map((part) => {
      const [red, , blue] = pen.getImageData(image.width * part, image.height / 2, 1, 1).data
      return red! > 200 && blue! < 50 ? 'red' : blue! > 200 && red! < 50 ? 'blue' : 'both'
    })
  }, shot)
}

test('a changed image is compared by swipe and onion skin, with pointer and keyboard', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const mine = new MergeRequestPage(view)
  const { id } = await makeTern(instance)
  const commit = async (action: string, color: string, branch: string, start?: string) =>
    instance.api('POST', `/projects/${id}/repository/commits`, {
      branch,
      ...(start ? { start_branch: start } : {}),
      commit_message: `Paint the buoy ${color}`,
      actions: [{ action, file_path: 'buoy.png', content: await picture(view, color), encoding: 'base64' }],
    })
  await commit('create', '#ff0000', 'main')
  await commit('update', '#0000ff', 'blue-buoy', 'main')
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'blue-buoy',
    target_branch: 'main',
    title: 'Paint the buoy blue',
  })
  await app.enter(`/root/tern/-/merge_requests/${iid}/diffs`)
  const before = mine.changes.getByRole('img', { name: 'buoy.png before' })
  const after = mine.changes.getByRole('img', { name: 'buoy.png after' })
  await expect(mine.changes.getByText('240 × 120')).toHaveCount(2)
  expect([await colors(view, before), await colors(view, after)]).toEqual([
    ['red', 'red'],
    ['blue', 'blue'],
  ])

  // Swipe shows the old image left of the line, and the new one right of it.
  const ways = mine.changes.getByRole('radiogroup', { name: 'Compare images' })
  const stack = mine.changes.locator('.stack')
  const seen = () => colors(view, stack)
  await ways.getByRole('radio', { name: 'Swipe' }).click()
  const line = mine.changes.getByRole('slider', { name: 'Dividing line' })
  await expect(line).toHaveValue('50')
  await expect.poll(seen).toEqual(['red', 'blue'])
  await stack.hover({ position: { x: 120, y: 60 } })
  await view.mouse.down()
  await stack.hover({ position: { x: 24, y: 60 } })
  await expect.poll(seen).toEqual(['blue', 'blue'])
  await view.mouse.up()
  await stack.hover({ position: { x: 200, y: 60 } })
  await expect(line).toHaveValue('10')
  await line.focus()
  await view.keyboard.press('End')
  await expect.poll(seen).toEqual(['red', 'red'])
  await view.keyboard.press('Home')
  await expect.poll(seen).toEqual(['blue', 'blue'])

  // Onion skin, from the switch on with the keyboard only.
  await ways.getByRole('radio', { name: 'Swipe' }).focus()
  await view.keyboard.press('ArrowRight')
  const opacity = mine.changes.getByRole('slider', { name: 'Opacity of the new image' })
  await expect(opacity).toHaveValue('50')
  await expect.poll(seen).toEqual(['both', 'both'])
  await view.keyboard.press('Tab')
  await expect(opacity).toBeFocused()
  await view.keyboard.press('Home')
  await expect.poll(seen).toEqual(['red', 'red'])
  await view.keyboard.press('End')
  await expect.poll(seen).toEqual(['blue', 'blue'])
})

test('images of different sizes are compared in one scale, and small images are enlarged', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const mine = new MergeRequestPage(view)
  const { id } = await makeTern(instance)
  const commit = async (action: string, branch: string, sizes: Record<string, [number, number]>) =>
    instance.api('POST', `/projects/${id}/repository/commits`, {
      branch,
      ...(branch === 'main' ? {} : { start_branch: 'main' }),
      commit_message: 'Paint the buoys',
      actions: await Promise.all(
        Object.entries(sizes).map(async ([path, [width, height]]) => ({
          action,
          file_path: path,
          content: await picture(view, branch === 'main' ? '#ff0000' : '#0000ff', { width, height }),
          encoding: 'base64',
        })),
      ),
    })
  await commit('create', 'main', { 'buoy.png': [120, 120], 'icon.png': [16, 16] })
  await commit('update', 'blue-buoy', { 'buoy.png': [240, 60], 'icon.png': [16, 16] })
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'blue-buoy',
    target_branch: 'main',
    title: 'Paint the buoys blue',
  })
  await app.enter(`/root/tern/-/merge_requests/${iid}/diffs`)
  await expect(mine.changes.getByText('240 × 60')).toBeVisible()
  const boxOf = (of: string, when: 'before' | 'after') =>
    mine.changes.getByRole('img', { name: `${of} ${when}` }).evaluate((image) => {
      const { left, top, width, height } = image.getBoundingClientRect()
      const stack = image.closest('.stack')!.getBoundingClientRect()
      return [left - stack.left, top - stack.top, width, height].map(Math.round)
    })
  for (const way of ['Swipe', 'Onion skin']) {
    const ways = mine.changes.getByRole('radio', { name: way })
    await ways.first().click()
    await ways.last().click()
    await expect(mine.changes.locator('.stack')).toHaveCount(2)
    await expect.poll(() => boxOf('buoy.png', 'before')).toEqual([0, 0, 120, 120])
    await expect.poll(() => boxOf('buoy.png', 'after')).toEqual([0, 0, 240, 60])
    await expect.poll(() => boxOf('icon.png', 'after')).toEqual([0, 0, 160, 160])
  }
})
