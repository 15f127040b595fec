import { execFileSync } from 'node:child_process'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

import { Bzip2 } from '../../../server/domains/repository/archive/bzip2.ts'
import { Bzip2Compressor } from '../../../server/lib/bzip2/compressor.ts'
import { codeLengths } from '../../../server/lib/bzip2/huffman.ts'
import { suffixArray } from '../../../server/lib/bzip2/suffix-array.ts'
import { transformBlock } from '../../../server/lib/bzip2/transform.ts'
import { isPossible } from '../../support/possible.ts'

function hasBzip2(): boolean {
  try {
    execFileSync('bzip2', ['--help'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const canUnpack = isPossible(hasBzip2(), 'there is no bzip2 to unpack with')

function compress(data: Uint8Array, chunk = 60_000): Buffer {
  const compressor = new Bzip2Compressor()
  const parts: Uint8Array[] = []
  for (let at = 0; at < data.length; at += chunk) parts.push(compressor.push(data.subarray(at, at + chunk)))
  return Buffer.concat([...parts, compressor.end()])
}

const unpack = (packed: Buffer) =>
  execFileSync('bzip2', ['-dc'], { input: packed, maxBuffer: 64 * 1024 * 1024 })

/** The same random numbers in every run, so that a failure can be reproduced. */
function numbers(seed: number): () => number {
  let state = seed
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 1) / 2 ** 31
}

function text(length: number, letters: number, seed: number): Buffer {
  const next = numbers(seed)
  return Buffer.from(Array.from({ length }, () => 97 + Math.floor(next() * letters)))
}

const bzip2 = new Bzip2()

describe('the suffix array', () => {
  it('has all suffixes in their order', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const word = text(seed % 41, 1 + (seed % 4), seed)
      const plain = Array.from(word.keys()).sort((a, b) => Buffer.compare(word.subarray(a), word.subarray(b)))
      expect(Array.from(suffixArray(word, 255)), word.toString()).toEqual(plain)
    }
  })
})

describe('the transform', () => {
  it('returns the last column of the sorted rotations', () => {
    const word = Buffer.from('banana')
    const { column, origin } = transformBlock(word)
    expect([Buffer.from(column).toString(), origin]).toEqual(['nnbaaa', 3])
  })
})

describe('code lengths', () => {
  it('stay within 17 bits and leave no code unused', () => {
    const fibonacci = [1, 1]
    while (fibonacci.length < 40) fibonacci.push(fibonacci.at(-1)! + fibonacci.at(-2)!)
    const lengths = codeLengths(Uint32Array.from(fibonacci))
    expect(Math.max(...lengths)).toBeLessThanOrEqual(17)
    expect(lengths.reduce((sum, length) => sum + 2 ** -length, 0)).toBe(1)
  })
})

describe('bzip2', () => {
  it.runIf(canUnpack)('is unpacked by bzip2 to the original, for any input', () => {
    const samples: Record<string, Buffer> = {
      nothing: Buffer.alloc(0),
      'one byte': Buffer.from('a'),
      'a period': Buffer.from('ab'.repeat(500_000)),
      'one long run': Buffer.alloc(1_000_000, 7),
      'runs of every length': Buffer.concat(
        Array.from({ length: 600 }, (_run, length) => Buffer.alloc(length, length % 3)),
      ),
      'all bytes': Buffer.from(Array.from({ length: 20_000 }, (_byte, index) => (index * index) % 256)),
      'more than a block': text(2_000_000, 26, 5),
      'just a block': text(899_981, 26, 6),
    }
    for (const [name, data] of Object.entries(samples))
      expect(unpack(compress(data)).equals(data), name).toBe(true)
  })

  it.runIf(canUnpack)('returns the same for chunks of any size', () => {
    const data = Buffer.from('aaaaaaaaaabbbbbccccccccccccd'.repeat(30))
    const whole = compress(data)
    for (const chunk of [1, 3, 7, 500]) expect(compress(data, chunk).equals(whole)).toBe(true)
    expect(unpack(whole).equals(data)).toBe(true)
  })

  it('is about as small as the output of bzip2', () => {
    const words = ['the', 'quick', 'brown', 'fox', 'jumps', 'over', 'lazy', 'dog', 'again']
    const next = numbers(9)
    const data = Buffer.from(
      Array.from({ length: 60_000 }, () => words[Math.floor(next() * words.length)]).join(' '),
    )
    expect(compress(data).length).toBeLessThan(data.length / 7)
  })

  it.runIf(canUnpack)('works in a thread and does not block others', async () => {
    const data = text(3_000_000, 20, 11)
    const parts = Array.from({ length: 300 }, (_part, index) =>
      data.subarray(index * 10_000, (index + 1) * 10_000),
    )
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 5)
    const packed = await buffer(bzip2.compress(Readable.from(parts)))
    clearInterval(timer)
    expect(unpack(packed).equals(data)).toBe(true)
    expect(ticks).toBeGreaterThan(20)
  })

  it('ends when its reader stops, and fails when its source fails', async () => {
    const source = new Readable({ read() {} })
    const early = bzip2.compress(source)
    source.push(Buffer.alloc(500_000))
    early.on('data', () => {})
    const closed = new Promise((resolve) => source.once('close', resolve))
    early.destroy()
    await closed
    const broken = bzip2.compress(Readable.from(failing()))
    await expect(buffer(broken)).rejects.toThrow('The source is gone.')
  })
})

async function* failing(): AsyncGenerator<Buffer> {
  yield Buffer.from('begin')
  throw new Error('The source is gone.')
}
