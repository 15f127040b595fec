import forge from 'node-forge'

/** A node of an ASN.1 structure. */
export type DerNode = forge.asn1.Asn1

/** Parses DER, or BER, which some programs write. Throws for anything else. */
export function parseDer(der: Buffer): DerNode {
  return forge.asn1.fromDer(forge.util.createBuffer(der.toString('binary')))
}

/** The DER encoding of a node. */
export function derOf(node: DerNode): Buffer {
  return Buffer.from(forge.asn1.toDer(node).getBytes(), 'binary')
}

/** The children of a node. Throws if it has none. */
export function childrenOf(node: DerNode | undefined): DerNode[] {
  if (!Array.isArray(node?.value)) throw new TypeError('Not a structure.')
  return node.value as DerNode[]
}

/** The bytes of a node without children, or of a string that is split into several nodes. */
export function bytesOf(node: DerNode | undefined): Buffer {
  if (typeof node?.value === 'string') return Buffer.from(node.value, 'binary')
  return Buffer.concat(childrenOf(node).map(bytesOf))
}

/** The object identifier in a node, with dots. */
export function oidOf(node: DerNode | undefined): string {
  return forge.asn1.derToOid(bytesOf(node).toString('binary'))
}

/** The node with a context-specific tag, such as `[0]`. */
export function findTagged(nodes: readonly DerNode[], tag: number): DerNode | undefined {
  return nodes.find(
    (node) => node.tagClass === forge.asn1.Class.CONTEXT_SPECIFIC && (node.type as number) === tag,
  )
}
