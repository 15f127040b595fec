// Draws build/icon.svg in the sizes of each system: icon.png, icon.ico (Windows) and icon.icns (macOS), and the dot that lies
// over the icon in the taskbar of Windows. Run it after a change of an SVG.
import './lib/node.mjs'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { findBrowser } from './lib/browser.mjs'
import { root } from './lib/node.mjs'

const build = (name) => join(root, 'build', name)
const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] })
const page = await browser.newPage()

async function draw(size, name = 'icon.svg') {
  const svg = readFileSync(build(name), 'utf8')
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`)
  return page.screenshot({ omitBackground: true })
}

/** An ICO file is a table of pictures, which may be PNG. */
function ico(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  for (const [at, { size, png }] of pictures.entries()) {
    const entry = 6 + 16 * at
    // 0 stands for 256.
    head.writeUInt8(size % 256, entry)
    head.writeUInt8(size % 256, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)])
}

/** An ICNS file is a list of blocks: four letters, the length, the picture. */
function icns(blocks) {
  const parts = blocks.map(({ type, png }) => {
    const head = Buffer.alloc(8)
    head.write(type, 0, 'ascii')
    head.writeUInt32BE(png.length + 8, 4)
    return Buffer.concat([head, png])
  })
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.write('icns', 0, 'ascii')
  head.writeUInt32BE(body.length + 8, 4)
  return Buffer.concat([head, body])
}

const drawn = new Map()
for (const size of [16, 24, 32, 48, 64, 128, 256, 512, 1024]) drawn.set(size, await draw(size))
writeFileSync(build('icons/badge.png'), await draw(16, 'icons/badge.svg'))
writeFileSync(build('icons/badge@2x.png'), await draw(32, 'icons/badge.svg'))
await browser.close()
const types = { icp4: 16, icp5: 32, icp6: 64, ic07: 128, ic08: 256, ic09: 512, ic10: 1024 }
writeFileSync(build('icon.png'), drawn.get(1024))
writeFileSync(
  build('icon.ico'),
  ico([16, 24, 32, 48, 64, 256].map((size) => ({ size, png: drawn.get(size) }))),
)
writeFileSync(
  build('icon.icns'),
  icns(Object.entries(types).map(([type, size]) => ({ type, png: drawn.get(size) }))),
)
