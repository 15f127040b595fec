import { describe, expect, it } from 'vitest'

import { readState, restoreState } from '../../../electron/window-state.ts'

const laptop = { x: 0, y: 0, width: 1440, height: 900 }
const external = { x: 1440, y: -200, width: 2560, height: 1440 }

describe('a restored window', () => {
  it('has its former position', () => {
    const saved = { x: 1600, y: 0, width: 1300, height: 900, maximized: false }
    expect(restoreState(saved, [laptop, external])).toEqual(saved)
  })

  it('is maximized again, and keeps its normal size', () => {
    const saved = { x: 10, y: 10, width: 1000, height: 700, maximized: true }
    expect(restoreState(saved, [laptop])).toEqual(saved)
  })

  it('keeps its size but not its position when its display is gone', () => {
    const saved = { x: 1600, y: 0, width: 1300, height: 850, maximized: false }
    expect(restoreState(saved, [laptop])).toEqual({ width: 1300, height: 850, maximized: false })
  })

  it.each([
    ['its title bar above every display', { x: 10, y: -300 }],
    ['only a strip of it on the right edge', { x: 1400, y: 10 }],
    ['its title bar below the display', { x: 10, y: 880 }],
  ])('is not restored with %s', (_what, saved) => {
    const state = restoreState({ ...saved, width: 1000, height: 700, maximized: false }, [laptop])
    expect(state).toEqual({ width: 1000, height: 700, maximized: false })
  })

  it('is never larger than the largest display nor too small to use', () => {
    expect(restoreState({ width: 9000, height: 9000 }, [laptop])).toMatchObject({ width: 1440, height: 900 })
    expect(restoreState({ width: 10, height: 10 }, [laptop])).toMatchObject({ width: 640, height: 480 })
  })

  it.each([undefined, null, 'x', 5, [], { width: '800', height: 600 }, { width: Number.NaN, height: 1 }])(
    'starts with the default size when %j was saved',
    (saved) => {
      expect(restoreState(saved, [laptop])).toEqual({ width: 1280, height: 800, maximized: false })
    },
  )

  it('is forgotten when the file cannot be read', () => {
    expect(readState('/nonexistent/state.json')).toBeUndefined()
    expect(readState(import.meta.filename)).toBeUndefined()
  })
})
