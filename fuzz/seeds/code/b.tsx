bP7
import React from 'react';
export default function App({ a }: Props) {
  const [s, set] = useState<number>(0);
  return <div className="x">{a && <B {...s} />} text</div>;
}
