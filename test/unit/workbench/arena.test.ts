import { expect, it } from 'vitest'

import { Arena, needleOf } from '../../../server/domains/workbench/inspector/recording/arena.ts'

const put = (arena: Arena, text: string) => arena.put(text, Buffer.byteLength(text), 100)

it('the arena returns stored bodies, and drops the oldest first', () => {
  const arena = new Arena(250)
  const slots = ['a', 'b', 'c', 'd'].map((letter) => put(arena, letter.repeat(80)))
  expect(slots.map((slot) => arena.read(slot)?.[0])).toEqual([undefined, 'b', 'c', 'd'])
})

it('the arena never returns bytes of another body', () => {
  const arena = new Arena(1000)
  const stored: { text: string; slot: ReturnType<typeof put> }[] = []
  const wrong: string[] = []
  for (let n = 0; n < 500; n++) {
    const text = String(n).padStart(1 + ((n * 37) % 100), '-')
    stored.push({ text, slot: put(arena, text) })
    if (arena.read(stored.at(-1)!.slot) !== text) wrong.push(text)
    for (const body of stored.slice(-40)) {
      const read = arena.read(body.slot)
      if (read !== undefined && read !== body.text) wrong.push(body.text)
    }
  }
  expect(wrong).toEqual([])
})

it('the arena cuts long bodies between characters', () => {
  const slot = put(new Arena(1000), 'ä'.repeat(80))
  expect(slot).toMatchObject({ length: 100, fullLength: 160 })
  const odd = new Arena(1000).put('ä'.repeat(80), 160, 99)
  expect(odd.length).toBe(98)
})

it('the arena hides the text of secret fields, also if it is cut', () => {
  const arena = new Arena(1000)
  const cover = (text: string) =>
    arena.read(arena.put(text, Buffer.byteLength(text), 100, [needleOf('token')]))
  expect(cover('{"a":"b","token":"xy","c":"d"}')).toBe('{"a":"b","token":"**","c":"d"}')
  expect(cover('[{"token":"a\\"b"},{"token":""},{"token":null},{"token":"ü"}]')).toBe(
    '[{"token":"****"},{"token":""},{"token":null},{"token":"**"}]',
  )
  expect(cover('{"token":"half of i')).toBe('{"token":"*********')
  expect(cover('{"x":"\\"token\\":\\"no field\\""}')).toBe('{"x":"\\"token\\":\\"no field\\""}')
})
