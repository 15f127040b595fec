import forge from 'node-forge'

/** A part of an ASN.1 structure. */
export type DerNode = forge.asn1.Asn1

/** Parses DER, or BER as some programs write it. Throws for anything else. */
export function read(der: Buffer): DerNode {
  return forge.asn1.fromDer(forge.util.createBuffer(der.toString('binary')))
}

/** DER of a part. */
export function derOf(node: DerNode): Buffer {
  return Buffer.from(forge.asn1.toDer(node).getBytes(), 'binary')
}

/** The parts of a part. Throws if it has none. */
export function partsOf(node: DerNode | undefined): DerNode[] {
  if (!Array.isArray(node?.value)) throw new TypeError('Not a structure.')
  return node.value as DerNode[]
}

/** The bytes of a part that has no parts. */
export function bytesOf(node: DerNode | undefined): Buffer {
  if (typeof node?.value === 'string') return Buffer.from(node.value, 'binary')
  // A string in several parts.
  return Buffer.concat(partsOf(node).map(bytesOf))
}

/** The object identifier of a part, with dots. */
export function oidOf(node: DerNode | undefined): string {
  return forge.asn1.derToOid(bytesOf(node).toString('binary'))
}

/** The part under a tag of its own, `[0]`. */
export function tagged(nodes: readonly DerNode[], tag: number): DerNode | undefined {
  return nodes.find(
    (node) => node.tagClass === forge.asn1.Class.CONTEXT_SPECIFIC && (node.type as number) === tag,
  )
}
